// Draws a transaction, its outcome, and lists of labels and texts into the page.

import { dollars, stateWords } from "#plugins/link-page/web/words.ts";
import type { LinkOutcome, LinkShown } from "#plugins/wallets/contract.ts";

export type TransactionShown = LinkShown["transactions"][number];

export type Row = { label: string; text: string; kind?: "words" | "mono" | "data" };

const EMPTY = "0x";
/** Members of `shown` that have a place of their own, here or in the sentence. */
const PLACED = new Set([
	"sentBefore",
	"summary",
	"action",
	"chain",
	"marketplace",
	"seller",
	"contract",
	"tokenId",
	"quantity",
	"recipient",
	"cancels",
	"cancelsTransaction",
	"nonce",
]);

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

/**
 * Returns the rows that a person decides by, and apart from them those that only few will check.
 * Nothing is in both, and nothing that is shown of the plan is in neither.
 */
export function rowsOf(one: TransactionShown): { main: Row[]; details: Row[] } {
	return { main: mainOf(one), details: detailsOf(one) };
}

/**
 * Shows an intent's state and its transaction; the state only if the page's title does not show it.
 */
export function renderOutcome(
	{ status, errorCode, error, transactionHash, cancellation, chain }: LinkOutcome,
	{ isTitled }: { isTitled: boolean },
): Node {
	const item = document.createElement("li");
	const [state, list] = [document.createElement("p"), document.createElement("dl")];
	const { title, lead } = stateWords(status, errorCode, cancellation, error?.message);
	state.textContent = `${title}. ${lead}`;
	state.className = "summary";
	state.hidden = isTitled;
	const cancelledBy = cancellation?.transactionHash;
	fill(list, [
		{
			label: "Transaction",
			text: transactionHash ?? "none yet",
			kind: transactionHash ? "mono" : "words",
		},
		...(cancelledBy ? [{ label: "Cancellation", text: cancelledBy, kind: "mono" } as const] : []),
		{ label: "Network", text: `${chain.name} (${chain.id})` },
	]);
	item.append(state, list);
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

function mainOf({ shown, recipient, from, chain, payments }: TransactionShown): Row[] {
	const rows: Row[] = [];
	if (isPlain(shown.sentBefore)) {
		rows.push({ label: "Sent before?", text: String(shown.sentBefore) });
	}
	if (isPlain(shown.cancels)) rows.push({ label: "Cancels", text: String(shown.cancels) });
	if (isPlain(shown.cancelsTransaction)) {
		rows.push(mono("Its transaction", String(shown.cancelsTransaction)));
	}
	if (isPlain(shown.nonce)) rows.push(mono("Nonce", String(shown.nonce)));
	if (isPlain(shown.contract)) rows.push(mono("NFT contract", String(shown.contract)));
	if (isPlain(shown.tokenId)) rows.push(mono("Token id", String(shown.tokenId)));
	if (isPlain(shown.quantity) && String(shown.quantity) !== "1") {
		rows.push(mono("Quantity", String(shown.quantity)));
	}
	if (recipient !== null) rows.push(mono("To", recipient));
	for (const { isSeller, amount, symbol, recipient: payee } of payments) {
		const label = isSeller ? "To the seller" : "Fee";
		rows.push(mono(label, `${amount} ${symbol} to ${payee}`));
	}
	rows.push(mono("From", from), { label: "Network", text: `${chain.name} (${chain.id})` });
	return rows;
}

function isPlain(value: unknown): value is string | number | boolean {
	return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function mono(label: string, text: string): Row {
	return { label, text, kind: "mono" };
}

function detailsOf({ shown, recipient, from, to, data, planHash, payments }: TransactionShown) {
	const rows: Row[] = [];
	if (to !== recipient) rows.push(mono("Contract called", to));
	// Who is neither among the paid nor the one who pays has no row above.
	const { seller, recipient: receives, marketplace } = shown;
	if (isPlain(seller) && !payments.some(({ isSeller }) => isSeller)) {
		rows.push(mono("Seller", String(seller)));
	}
	if (isPlain(receives) && receives !== from) rows.push(mono("Goes to", String(receives)));
	if (isPlain(marketplace) && marketplace !== to)
		rows.push(mono("Marketplace", String(marketplace)));
	for (const [name, value] of Object.entries(shown)) {
		if (PLACED.has(name) || !isPlain(value)) continue;
		const text = wordOf(value);
		rows.push({ label: labelOf(name), text, kind: text.startsWith(EMPTY) ? "mono" : "words" });
	}
	rows.push(mono("Plan hash", planHash));
	if (data !== EMPTY) rows.push({ label: "Data sent along", text: data, kind: "data" });
	return rows;
}

function wordOf(value: string | number | boolean): string {
	return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

/** Turns a member's name into words: `recipientIsContract` → "Recipient is contract". */
function labelOf(name: string): string {
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
	return words.charAt(0).toUpperCase() + words.slice(1);
}
