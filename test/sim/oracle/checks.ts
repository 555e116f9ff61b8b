// Checks frames, hints and rows of the index against each other.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { FrameBatch } from "#core/outbox.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/contract.ts";
import type { SimBlock } from "#test/sim/chain/createSimChain.ts";
import type { ExpectedEvent, Rows, State } from "#test/sim/oracle/expectedRows.ts";

export type ToldFrame = { type: string; data: { id?: string; retracted?: boolean } };

type Batch = { topic: string; first: number; last: number; frames: string };

const TOLD_MAX = 12;

/**
 * Reads the log of frames as a client that missed nothing, and answers what such a client would
 * find wrong: a gap in the numbers, an event told twice, one taken back that was never told, one
 * that is told still and is not there, or is there and was never told.
 */
export async function checkFrames(
	db: Queryable,
	options: { chain: string; contracts: readonly Address[]; events: readonly ExpectedEvent[] },
): Promise<string[]> {
	const { chain, contracts, events } = options;
	const topics = [discoverTopic(chain), ...contracts.map((one) => collectionTopic(chain, one))];
	const batches = await db.query<Batch>(
		`select topic, seq_first as first, seq_last as last, frames from core.stream_frame
		where topic = any($1::text[]) order by topic, seq_last`,
		[topics],
	);
	const heads = await db.query<{ topic: string; seq: number }>(
		"select topic, seq from core.stream_head where topic = any($1::text[])",
		[topics],
	);
	const headOf = new Map(heads.map(({ topic, seq }) => [topic, seq]));
	const wrong: string[] = [];
	for (const [topic, of] of Map.groupBy(batches, (batch) => batch.topic)) {
		wrong.push(...checkNumbers(topic, of, headOf.get(topic)));
	}
	for (const contract of contracts) {
		const topic = collectionTopic(chain, contract);
		const told = batches
			.filter((batch) => batch.topic === topic)
			.flatMap(({ frames }): ToldFrame[] => JSON.parse(frames));
		const rows = events.filter((event) => event.contract === contract);
		const found = replayFrames(told, new Set(rows.map(idOf)));
		wrong.push(...found.map((one) => `${topic}: ${one}`));
	}
	return wrong;
}

/**
 * Follows one collection's frames from the first, and answers what does not add up to the rows that
 * are stored, in words.
 */
export function replayFrames(frames: readonly ToldFrame[], rows: ReadonlySet<string>): string[] {
	const wrong: string[] = [];
	const live = new Set<string>();
	// After "fetch a snapshot" a client knows what the frames before did not tell.
	let hasSnapshot = false;
	for (const { type, data } of frames) {
		if (type === "snapshot_required") {
			hasSnapshot = true;
			live.clear();
		}
		if (type !== "market_event" || data.id === undefined) continue;
		if (!data.retracted) {
			if (live.has(data.id)) wrong.push(`${data.id} is told twice`);
			live.add(data.id);
		} else if (!live.delete(data.id) && !hasSnapshot) {
			wrong.push(`${data.id} is taken back and was never told`);
		}
	}
	for (const id of live) if (!rows.has(id)) wrong.push(`${id} is told and not stored`);
	if (hasSnapshot) return wrong;
	for (const id of rows) if (!live.has(id)) wrong.push(`${id} is stored and not told`);
	return wrong;
}

/** Whatever the bus announced must be in the log, to the letter: nothing that was rolled back. */
export async function checkHints(db: Queryable, messages: readonly string[]): Promise<string[]> {
	const wrong: string[] = [];
	const batches = messages.map((message): FrameBatch => JSON.parse(message));
	const stored = await db.query<{ key: string; frames: string }>(
		`select topic || ' ' || seq_first as key, frames from core.stream_frame
		where topic = any($1::text[])`,
		[[...new Set(batches.map(({ topic }) => topic))]],
	);
	const framesOf = new Map(stored.map(({ key, frames }) => [key, frames]));
	for (const { topic, seqFirst, frames } of batches) {
		if (framesOf.get(`${topic} ${seqFirst}`) === JSON.stringify(frames)) continue;
		wrong.push(`${topic}: ${seqFirst} was announced and is not in the log`);
	}
	return wrong;
}

/** Where two states differ, in words; empty when they are equal row for row. */
export function compareRows(found: State, expected: State): string[] {
	const differences: string[] = [];
	for (const table of ["events", "collections", "minutes", "hours", "days"] as const) {
		differences.push(
			...compareTable(found[table], expected[table]).map((one) => `${table} ${one}`),
		);
	}
	const more = differences.length - TOLD_MAX;
	return more > 0 ? [...differences.slice(0, TOLD_MAX), `and ${more} more`] : differences;
}

/** What keeps an index from being whole up to this block, in words; null when nothing does. */
export async function whatIsOwed(
	db: Queryable,
	chainId: number,
	head: SimBlock | undefined,
): Promise<string | null> {
	const lanes = await db.query<{
		lane: string;
		block: number;
		hash: string;
		gaps: number;
		missing: number;
	}>(
		`select lane, block_number as block, '0x' || encode(block_hash, 'hex') as hash,
			(select count(*) from chain_scanner.gap where chain_id = $1) as gaps,
			(select coalesce(sum(to_block - from_block + 1), 0)::int8 from chain_scanner.gap
				where chain_id = $1) as missing
		from chain_scanner.cursor where chain_id = $1`,
		[chainId],
	);
	const owed = lanes.flatMap(({ lane, block, hash, gaps, missing }) => {
		const where = `the ${lane} lane is at ${block} ${hash.slice(0, 10)}`;
		if (block !== head?.number || hash !== head.hash) return [`${where}, not at ${head?.number}`];
		return gaps > 0 ? [`${where}, and ${gaps} gaps of ${missing} blocks are owed`] : [];
	});
	if (lanes.length < 2) return `only ${lanes.length} lanes have begun`;
	return owed.length > 0 ? owed.join("; ") : null;
}

function checkNumbers(topic: string, batches: readonly Batch[], head: number | undefined) {
	const wrong: string[] = [];
	let expected = 1;
	for (const { first, last, frames } of batches) {
		const count: unknown[] = JSON.parse(frames);
		if (first !== expected) wrong.push(`${topic}: ${first} follows ${expected - 1}`);
		if (last - first + 1 !== count.length) wrong.push(`${topic}: ${first}..${last} is not whole`);
		expected = last + 1;
	}
	if (head !== expected - 1)
		wrong.push(`${topic}: the newest number is ${head}, not ${expected - 1}`);
	return wrong;
}

function idOf({ blockHash, logIndex, subIndex }: ExpectedEvent): string {
	return `${blockHash}:${logIndex}:${subIndex}`;
}

function compareTable(found: Rows, expected: Rows): string[] {
	const differences: string[] = [];
	for (const [key, row] of expected) {
		const other = found.get(key);
		if (!other) {
			differences.push(`${key} is missing`);
			continue;
		}
		for (const column of new Set([...Object.keys(row), ...Object.keys(other)])) {
			const [is, should] = [other[column] ?? null, row[column] ?? null];
			if (is !== should) differences.push(`${key}: ${column} is ${is}, not ${should}`);
		}
	}
	for (const key of found.keys()) if (!expected.has(key)) differences.push(`${key} is too much`);
	return differences;
}
