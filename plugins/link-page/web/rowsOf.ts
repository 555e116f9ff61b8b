import type { LinkShown } from "#plugins/wallets/contract.ts";

export type TransactionShown = LinkShown["transactions"][number];

export type Row = { label: string; text: string; kind?: "words" | "mono" | "data" };

const EMPTY = "0x";
/** Members of `shown` that have a place of their own, here or in the sentence. */
const PLACED = new Set([
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
 * What somebody decides by, and apart from it what only few will check. Nothing is in both, and
 * nothing that is shown of the plan is in neither.
 */
export function rowsOf(one: TransactionShown): { main: Row[]; details: Row[] } {
	return { main: mainOf(one), details: detailsOf(one) };
}

function mainOf({ shown, recipient, from, chain, payments }: TransactionShown): Row[] {
	const rows: Row[] = [];
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

function mono(label: string, text: string): Row {
	return { label, text, kind: "mono" };
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
