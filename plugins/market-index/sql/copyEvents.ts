import { type CopyWriter, createCopyWriter } from "#core/db/copy/createCopyWriter.ts";
import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { StorableEvent } from "#plugins/market-index/event/StorableEvent.ts";
import { INSERT_COLUMN_COUNT, INSERT_COLUMNS } from "#plugins/market-index/sql/insertColumns.ts";

/** Bytes given to COPY at a time: few calls, and no huge buffer. */
const CHUNK_BYTES = 256 * 1024;
/** No row without a payload is longer, so a chunk has a buffer of the right size. */
const ROW_BYTES = 1024;

/** Copies rows into the table of events, or into another with its columns. */
export async function copyEvents(
	tx: Tx,
	chainId: number,
	rows: readonly StorableEvent[],
	table = "market_index.event",
): Promise<void> {
	await tx.copy(`${table} (${INSERT_COLUMNS})`, chunksOf(chainId, rows));
}

function* chunksOf(chainId: number, rows: readonly StorableEvent[]): Generator<Buffer> {
	const writer = createCopyWriter(CHUNK_BYTES + ROW_BYTES);
	for (const row of rows) {
		writeRow(writer, chainId, row);
		if (writer.length >= CHUNK_BYTES) yield writer.take();
	}
	if (writer.length > 0) yield writer.take();
}

/** Writes a row in the order of the columns. */
function writeRow(writer: CopyWriter, chainId: number, row: StorableEvent): void {
	const { currency, totalRaw, totalNative, venue, reason, payload } = row;
	writer.row(INSERT_COLUMN_COUNT);
	writer.time(row.occurredAtMs);
	writer.int8(row.blockNumber);
	writer.int8(chainId);
	writer.int4(row.collectionId);
	writer.int4(row.logIndex);
	writer.int4(row.subIndex);
	writer.int2(EVENT_KIND[row.kind]);
	writer.bool(row.accepted);
	writer.bool(row.onchainVerified);
	writer.bytes(row.blockHash);
	writer.bytes(row.transactionHash);
	writer.bytes(row.from);
	writer.bytes(row.to);
	writer.numeric(row.tokenId);
	writer.numeric(row.quantity);
	if (currency === null) writer.null();
	else writer.bytes(currency);
	if (totalRaw === null) writer.null();
	else writer.numeric(totalRaw);
	if (totalNative === null) writer.null();
	else writer.numeric(totalNative);
	if (venue === null) writer.null();
	else writer.text(venue);
	if (reason === null) writer.null();
	else writer.text(reason);
	if (payload === null) writer.null();
	else writer.json(JSON.stringify(payload));
}
