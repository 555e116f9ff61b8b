// Draws a transaction, and lists of labels and texts, into the page.

import { dollars } from "#plugins/link-page/web/dollars.ts";
import { type Row, rowsOf, type TransactionShown } from "#plugins/link-page/web/rowsOf.ts";

/**
 * Fills the page's template with one transaction. All of it is set as text: names of tokens and
 * collections are written by strangers.
 */
export function renderTransaction(template: HTMLTemplateElement, one: TransactionShown): Node {
	const item = template.content.cloneNode(true);
	if (!(item instanceof DocumentFragment)) return item;
	const { spend, shown } = one;
	const put = (selector: string, text: string) => {
		const element = item.querySelector(selector);
		if (element) element.textContent = text;
	};
	put(".summary", typeof shown.summary === "string" ? shown.summary : "");
	put(".amount strong", `${spend.amount} ${spend.symbol}`);
	put(".usd", spend.usd === null ? "" : `about ${dollars(spend.usd)}`);
	put(".leaves", "leaves your wallet, and the network's fee on top");
	const { main, details } = rowsOf(one);
	fill(item.querySelector(".main"), main);
	fill(item.querySelector(".more"), details);
	return item;
}

/** Adds rows of a label and its text to a list. */
export function fill(list: Element | null, rows: readonly Row[]): void {
	for (const { label, text, kind = "words" } of rows) {
		const [term, value] = [document.createElement("dt"), document.createElement("dd")];
		term.textContent = label;
		value.textContent = text;
		value.className = kind;
		list?.append(term, value);
	}
}
