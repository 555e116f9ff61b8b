import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/contract.ts";
import type { ExpectedEvent } from "#test/sim/oracle/expectedEvents.ts";
import { replayFrames, type ToldFrame } from "#test/sim/oracle/replayFrames.ts";

type Batch = { topic: string; first: number; last: number; frames: string };

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
