/** The two small forms: a new person, and the phone to share. */

/** Open a dialog and wait. Returns its form's fields, or null if it was closed without them. */
function ask(dialog) {
  const form = dialog.querySelector("form");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => resolve(dialog.returnValue === "done" ? Object.fromEntries(new FormData(form)) : null),
      { once: true },
    );
  });
}

for (const button of document.querySelectorAll("dialog [data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

/** Returns {name, language_code} or null. */
export async function askPerson() {
  const dialog = document.getElementById("person-dialog");
  dialog.querySelector("form").reset();
  const fields = await ask(dialog);
  return fields && fields.name.trim() ? { ...fields, name: fields.name.trim() } : null;
}

/** Returns the phone as typed, or null. */
export async function askPhone() {
  const fields = await ask(document.getElementById("contact-dialog"));
  return fields && fields.phone.trim() ? fields.phone.trim() : null;
}
