import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { SqlValue, Tx } from "#core/db/Database.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/limits.ts";
import type { StoredEvent } from "#plugins/market-index/render/renderEvent.ts";

/** What of an event is stored: one that was read back is as good as a new one. */
export type StorableEvent = StoredEvent & { collectionId: number };

/** How kinds are stored. */
export const EVENT_KIND = { sale: 1, mint: 2, transfer: 3 } as const;

const COLUMNS = [
	"occurred_at",
	"block_number",
	"chain_id",
	"collection_id",
	"log_index",
	"sub_index",
	"kind",
	"accepted",
	"onchain_verified",
	"block_hash",
	"transaction_hash",
	"from_address",
	"to_address",
	"token_id",
	"quantity",
	"currency",
	"total_raw",
	"total_native",
	"venue",
	"reason",
	"payload",
];
const COLUMN_LIST = COLUMNS.join(", ");

/** Lines handed to COPY at a time: few calls, and no single huge string. */
const LINES_PER_CHUNK = 1_000;

/** Raised by the unique index when a row of the batch is stored already. */
const UNIQUE_VIOLATION = "23505";

/**
 * Stores events and answers those that were not stored before, in the order given.
 *
 * Measured: COPY into the table 54,600 rows a second, through a stage 40,400, arrays 28,300; at
 * the head a few rows by arrays, because a temporary table costs 2 ms a commit. A lane's range is
 * new by its cursor, so COPY goes straight in; only a replay that overlaps takes the stage.
 *
 * Few rows of which all are `isNew` are not looked up one by one first, which took a third of the
 * time: the statement fails where one is stored.
 */
export async function insertEvents<Row extends StorableEvent>(
	tx: Tx,
	chainId: number,
	rows: readonly Row[],
	{ isNew = false } = {},
): Promise<readonly Row[]> {
	if (rows.length < COPY_ROWS_MIN) return insertArrays(tx, chainId, rows, isNew);
	await tx.execute("savepoint events");
	try {
		await tx.copy(`market_index.event (${COLUMN_LIST})`, copyText(chainId, rows));
		await tx.execute("release savepoint events");
		return rows;
	} catch (error) {
		if (!isUniqueViolation(error)) throw error;
		await tx.execute("rollback to savepoint events");
		return insertStaged(tx, chainId, rows);
	}
}

async function insertStaged<Row extends StorableEvent>(
	tx: Tx,
	chainId: number,
	rows: readonly Row[],
) {
	await tx.execute("create temporary table event_stage (like market_index.event) on commit drop");
	await tx.copy(`event_stage (${COLUMN_LIST})`, copyText(chainId, rows));
	const inserted = await tx.query<Position>(
		`insert into market_index.event (${COLUMN_LIST})
		select ${COLUMN_LIST} from event_stage on conflict do nothing
		returning ${IDENTITY}`,
	);
	await tx.execute("drop table event_stage");
	return onlyInserted(rows, inserted);
}

async function insertArrays<Row extends StorableEvent>(
	tx: Tx,
	chainId: number,
	rows: readonly Row[],
	isNew: boolean,
) {
	const inserted = await tx.query<Position>(
		`insert into market_index.event (chain_id, ${COLUMN_LIST.replace("chain_id, ", "")})
		select $1, * from unnest(
			$2::timestamptz[], $3::int8[], $4::int4[], $5::int4[], $6::int4[], $7::int2[],
			$8::boolean[], $9::boolean[], $10::bytea[], $11::bytea[], $12::bytea[], $13::bytea[],
			$14::numeric[], $15::numeric[], $16::bytea[], $17::numeric[], $18::numeric[],
			$19::text[], $20::text[], $21::jsonb[]
		)
		${isNew ? "" : `on conflict do nothing returning ${IDENTITY}`}`,
		[chainId, ...columnArrays(rows)],
	);
	return isNew ? rows : onlyInserted(rows, inserted);
}

type Position = { blockNumber: number; logIndex: number; subIndex: number; occurredAt: Date };

/** What the unique index goes by. */
const IDENTITY = `block_number as "blockNumber", log_index as "logIndex",
	sub_index as "subIndex", occurred_at as "occurredAt"`;

function onlyInserted<Row extends StorableEvent>(
	rows: readonly Row[],
	inserted: readonly Position[],
): readonly Row[] {
	if (inserted.length === rows.length) return rows;
	const key = (at: Omit<Position, "occurredAt">, atMs: number) =>
		`${at.blockNumber}.${at.logIndex}.${at.subIndex}.${atMs}`;
	const left = new Set(inserted.map((at) => key(at, at.occurredAt.getTime())));
	// `delete`: of two equal positions in one batch only the first was stored.
	return rows.filter((row) => left.delete(key(row, row.occurredAtMs)));
}

function columnArrays(rows: readonly StorableEvent[]): SqlValue[] {
	return [
		rows.map((row) => new Date(row.occurredAtMs)),
		rows.map((row) => row.blockNumber),
		rows.map((row) => row.collectionId),
		rows.map((row) => row.logIndex),
		rows.map((row) => row.subIndex),
		rows.map((row) => EVENT_KIND[row.kind]),
		rows.map((row) => row.accepted),
		rows.map((row) => row.onchainVerified),
		rows.map((row) => bytesOf(row.blockHash)),
		rows.map((row) => bytesOf(row.transactionHash)),
		rows.map((row) => bytesOf(row.from)),
		rows.map((row) => bytesOf(row.to)),
		rows.map((row) => row.tokenId),
		rows.map((row) => row.quantity),
		rows.map((row) => (row.currency === null ? null : bytesOf(row.currency))),
		rows.map((row) => row.totalRaw),
		rows.map((row) => row.totalNative),
		rows.map((row) => row.venue),
		rows.map((row) => row.reason),
		rows.map((row) => (row.payload === null ? null : JSON.stringify(row.payload))),
	];
}

function bytesOf(hex: Hex): Buffer {
	return Buffer.from(hex.slice(2), "hex");
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

function isUniqueViolation(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}
