import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/sql/eventKind.ts";
import { INSERT_COLUMNS } from "#plugins/market-index/sql/insertColumns.ts";
import type { StorableEvent } from "#plugins/market-index/sql/StorableEvent.ts";

/** Lines handed to COPY at a time: few calls, and no single huge string. */
const LINES_PER_CHUNK = 1_000;

/** Copies rows into the table of events, or into another with its columns. */
export async function copyEvents(
	tx: Tx,
	chainId: number,
	rows: readonly StorableEvent[],
	table = "market_index.event",
): Promise<void> {
	await tx.copy(`${table} (${INSERT_COLUMNS})`, copyText(chainId, rows));
}

/**
 * Rows in COPY's text format. Rows of one block and one transaction follow each other, so what they
 * share is written out once.
 */
function* copyText(chainId: number, rows: readonly StorableEvent[]): Generator<string> {
	let text = "";
	let lines = 0;
	let block: StorableEvent | null = null;
	let time = "";
	let blockHash = "";
	let transaction: Hex | null = null;
	let transactionHash = "";
	for (const row of rows) {
		if (row.occurredAtMs !== block?.occurredAtMs || row.blockHash !== block.blockHash) {
			block = row;
			// PostgreSQL takes the sign of a year above 9999 for that of a time zone.
			time = new Date(row.occurredAtMs).toISOString().replace(/^\+0*/, "");
			blockHash = copyBytes(row.blockHash);
		}
		if (row.transactionHash !== transaction) {
			transaction = row.transactionHash;
			transactionHash = copyBytes(row.transactionHash);
		}
		const { currency, payload } = row;
		text +=
			`${time}\t${row.blockNumber}\t${chainId}\t${row.collectionId}\t${row.logIndex}\t` +
			`${row.subIndex}\t${EVENT_KIND[row.kind]}\t${row.accepted ? "t" : "f"}\t` +
			`${row.onchainVerified ? "t" : "f"}\t${blockHash}\t${transactionHash}\t` +
			`${addressBytes(row.from)}\t${addressBytes(row.to)}\t${row.tokenId}\t${row.quantity}\t` +
			`${currency === null ? NULL : addressBytes(currency)}\t${row.totalRaw ?? NULL}\t` +
			`${row.totalNative ?? NULL}\t${copyString(row.venue)}\t${copyString(row.reason)}\t` +
			`${payload === null ? NULL : copyString(JSON.stringify(payload))}\n`;
		if (++lines % LINES_PER_CHUNK === 0) {
			yield text;
			text = "";
		}
	}
	if (text !== "") yield text;
}

const NULL = "\\N";
const COPY_SPECIAL = /[\\\t\n\r]/;

function copyBytes(hex: Hex): string {
	return `\\\\x${hex.slice(2)}`;
}

const ZERO_BYTES = copyBytes(ZERO_ADDRESS);

/** Every mint's sender and most sales' currency are the zero address. */
function addressBytes(address: Hex): string {
	return address === ZERO_ADDRESS ? ZERO_BYTES : copyBytes(address);
}

/** Text with COPY's own characters escaped. */
function copyString(text: string | null): string {
	if (text === null) return NULL;
	if (!COPY_SPECIAL.test(text)) return text;
	return text.replace(/[\\\t\n\r]/g, (character) => {
		if (character === "\t") return "\\t";
		if (character === "\n") return "\\n";
		return character === "\r" ? "\\r" : "\\\\";
	});
}
