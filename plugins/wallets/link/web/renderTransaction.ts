import type { z } from "zod";
import type { linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import { dollars } from "#plugins/wallets/link/web/dollars.ts";

export type LinkShown = z.output<typeof linkSchema>;
type Transaction = LinkShown["transactions"][number];

const EMPTY = "0x";
/** Members of `shown` that have a place of their own. */
const PLACED = new Set(["summary", "action"]);

/**
 * Fills the page's template with one transaction. All of it is set as text: names of tokens and
 * collections are written by strangers.
 */
export function renderTransaction(template: HTMLTemplateElement, one: Transaction): Node {
	const item = template.content.cloneNode(true);
	if (!(item instanceof DocumentFragment)) return item;
	const { spend, chain, recipient, from, to, data, shown } = one;
	const put = (selector: string, text: string) => {
		const element = item.querySelector(selector);
		if (element) element.textContent = text;
	};
	put(".summary", typeof shown.summary === "string" ? shown.summary : "");
	put(".amount strong", `${spend.amount} ${spend.symbol}`);
	put(".usd", spend.usd === null ? "" : `about ${dollars(spend.usd)}`);
	const list = item.querySelector("dl");
	const row = (label: string, text: string, mono = false) => {
		const [term, value] = [document.createElement("dt"), document.createElement("dd")];
		term.textContent = label;
		value.textContent = text;
		if (mono) value.className = "mono";
		list?.append(term, value);
	};
	if (recipient !== null) row("To", recipient, true);
	if (to !== recipient) row("Contract called", to, true);
	row("From", from, true);
	row("Network", `${chain.name} (${chain.id})`);
	for (const [name, value] of Object.entries(shown)) {
		if (!PLACED.has(name) && isPlain(value)) row(labelOf(name), wordOf(value));
	}
	row("Network fee", "comes on top");
	if (data === EMPTY) item.querySelector("details")?.remove();
	else put(".data", data);
	return item;
}

function isPlain(value: unknown): value is string | number | boolean {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function wordOf(value: string | number | boolean): string {
	return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** `recipientIsContract` → "Recipient is contract". */
function labelOf(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
	return words.charAt(0).toUpperCase() + words.slice(1);
}
