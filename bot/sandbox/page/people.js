/** Who you are on either side: one of the leads, and one of the operators or a stranger in their group. */
import { el } from "./dom.js";
import { t } from "./texts.js";

const STRANGER_ID = 999_000_001;

export class People {
  leadId = null;
  operatorId = null;
  #store;
  #leadSelect = document.getElementById("lead-select");
  #operatorSelect = document.getElementById("operator-select");

  /** `onLead` and `onOperator` hear that another person was chosen. */
  constructor(store, { onLead, onOperator }) {
    this.#store = store;
    this.#leadSelect.addEventListener("change", () => {
      this.leadId = Number(this.#leadSelect.value);
      onLead();
    });
    this.#operatorSelect.addEventListener("change", () => {
      this.operatorId = Number(this.#operatorSelect.value);
      this.#showStranger();
      onOperator();
    });
  }

  get lead() {
    return this.#leads().find(({ id }) => id === this.leadId);
  }

  get operator() {
    return this.#inGroup().find(({ id }) => id === this.operatorId);
  }

  /** Fill both selects from the store, keeping who is chosen while they exist. */
  show() {
    this.leadId = (this.lead ?? this.#leads()[0])?.id ?? null;
    this.operatorId = (this.operator ?? this.#inGroup()[0]).id;
    fill(this.#leadSelect, this.#leads(), this.leadId);
    fill(this.#operatorSelect, this.#inGroup(), this.operatorId);
    this.#showStranger();
  }

  /** A stranger who has pressed something is known to the server too, but he belongs to the other side. */
  #leads() {
    return this.#store.leads.filter(({ id }) => id !== STRANGER_ID);
  }

  #inGroup() {
    return [...this.#store.operators, { id: STRANGER_ID, name: t("stranger") }];
  }

  #showStranger() {
    document.getElementById("stranger-note").hidden = this.operatorId !== STRANGER_ID;
  }
}

function fill(select, people, chosen) {
  select.replaceChildren(...people.map(({ id, name }) => el("option", { value: id }, name)));
  select.value = String(chosen);
}
