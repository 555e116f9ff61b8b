import { addPayloads } from "#test/bench/measure/addPayloads.ts";
import { type Crowds, compareCrowds } from "#test/bench/measure/compareCrowds.ts";
import {
	openYoungService,
	type YoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import { untilCaughtUp } from "#test/bench/measure/untilCaughtUp.ts";

/** Pages that crowds ask for, each against bare Bun with the same bytes. */
export type CachedPages = {
	/** The list of collections from the page cache. */
	list: Crowds;
	compressedList: Crowds;
	/** 200 events with a marketplace's payload of each. */
	compressedActivity: Crowds;
};

const LIST = "/v1/nft-market/collections?chain=anvil";
const TURNS = 3;
const EVENTS = 200;
/** So many blocks give a collection that many events. */
const BLOCKS_MORE = 60;

/** Measures pages for many clients at once: cached ones, uncompressed and compressed. */
export async function runCachedList(options: YoungServiceOptions): Promise<CachedPages> {
	const { scope } = options;
	// One block for each collection, so that the list has a row for each.
	const young = await openYoungService(options);
	const activity = await fillActivity(young);
	const service = young.service();
	const asked = { scope, service };
	const list = { ...asked, path: LIST, turns: TURNS };
	const pages: CachedPages = {
		list: await compareCrowds({ ...list, acceptEncoding: "" }),
		compressedList: await compareCrowds({ ...list, acceptEncoding: "gzip" }),
		compressedActivity: await compareCrowds({
			...asked,
			path: activity,
			turns: 1,
			acceptEncoding: "gzip",
		}),
	};
	await young.close();
	return pages;
}

/**
 * Returns the path of a page of as many events as a page can have, each with a provider's payload.
 */
async function fillActivity({ chain, data, service }: YoungService): Promise<string> {
	await chain.mine(BLOCKS_MORE);
	await untilCaughtUp(chain.node, data.socketDir);
	const contract = await addPayloads(data.socketDir);
	const path = `/v1/nft-market/collections/${contract}/activity?chain=anvil&limit=${EVENTS}`;
	const answered = await fetch(`${service().url}${path}`);
	const { data: events } = (await answered.json()) as { data: unknown[] };
	if (events.length !== EVENTS) throw new Error(`the page has ${events.length} events`);
	return path;
}
