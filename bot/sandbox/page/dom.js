/** Make an element. Props starting with "on" are listeners, the rest attributes; null, undefined and false are left out. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

/** An icon of the sprite in index.html. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A round avatar: initials on one of seven tones, always the same for the same id. */
export function avatar(id, name) {
  const letters = [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].slice(0, 2).map(String);
  const tone = Math.abs(Number(id) || 0) % 7;
  return el("span", { class: `avatar tone-${tone}`, "aria-hidden": "true" }, letters.join("").toUpperCase());
}

/** The name of a Telegram user or chat. */
export function fullName(party) {
  return [party.first_name, party.last_name].filter(Boolean).join(" ") || party.title || party.name || party.username || "";
}
