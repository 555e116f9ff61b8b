import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { openStream, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { openRevealLab, type RevealLab, sealed, shownAs } from "./openRevealLab.ts";

// Guarantee: a reveal is noticed by each signal alone, in the block where it happens; after it
// every token is read again, counted and ranked, and the collection is revealed.

let made: RevealLab;
beforeAll(async () => {
	made = await openRevealLab();
	made.lab.served = (path) => {
		const [, folder = "", id = ""] = path.split("/");
		if (folder.startsWith("shown")) return shownAs(Number(id));
		return sealed;
	};
});
afterAll(async () => {
	await made?.close();
});

const COUNT = 30;
type Row = { phase: string; revealState: string; detection: any; burst: any };

async function rowOf(service: TestService, contract: Hex): Promise<Row | undefined> {
	const { body } = await service.get("/v1/nft-market/reveals?chain=anvil&limit=200");
	return body.data.find((row: { contractAddress: Hex }) => row.contractAddress === contract);
}

/** Starts a service with these signals alone, and a hidden collection that it has read. */
async function watching(signals: string, name: string) {
	const service = await made.start({ env: { NFT_REVEAL_SIGNALS: signals } });
	const base = `sealed-${name}`;
	const { contract, id } = await made.collection(service, { name, base, count: COUNT });
	await made.watch(service, id);
	const path = `/v1/nft-market/collections/${contract}`;
	await until(async () => {
		const { body } = await service.get(`${path}?chain=anvil`);
		const [seen] = await service.core.db.query<{ reading: string }>(
			"select reading from reveal_snipe.seen where collection_id = $1",
			[id],
		);
		return body.market.revealState === "placeholder" && seen?.reading === "hidden";
	}, "it is seen to be hidden");
	expect(await rowOf(service, contract)).toMatchObject({ phase: "armed", detection: null });
	return { service, contract, id, path };
}

async function revealed(service: TestService, contract: Hex) {
	await until(
		async () => (await rowOf(service, contract))?.phase === "revealed",
		() => `${contract} is revealed`,
	);
	return rowOf(service, contract);
}

async function ranksOf(service: TestService, contract: Hex): Promise<(number | null)[]> {
	const ranks = [];
	for (let id = 1; id <= COUNT; id++) {
		const { body } = await service.get(`/v1/nft-market/assets/anvil/${contract}/${id}`);
		ranks.push(body.rank);
	}
	return ranks;
}

const head = async () => Number(await made.anvil.rpc<Hex>("eth_blockNumber"));

const CASES = [
	{ signal: "metadata_event", signals: "metadata_event,uri_hash", tells: 1, evidence: "uri_hash" },
	{ signal: "log", signals: "log,uri_hash", tells: 2, evidence: "uri_hash" },
	{ signal: "block", signals: "block,uri_hash", tells: 0, evidence: "uri_hash" },
	{ signal: "poll", signals: "poll,traits", tells: 0, evidence: "traits" },
	{ signal: "poll", signals: "poll,uri_hash", tells: 0, evidence: "uri_hash" },
] as const;

for (const { signal, signals, tells, evidence } of CASES) {
	test(`[RVL-01] a reveal is noticed by ${signal} and ${evidence} alone, and its tokens get ranks`, async () => {
		const { service, contract, path } = await watching(signals, `${signal}-${evidence}`);
		const stream = await openStream(
			`${service.url.replace("http", "ws")}${path}/stream?chain=anvil`,
		);
		const base = `shown-${signal}-${evidence}/`;
		await made.setBase(contract, base, { isShared: false, tells });
		const block = await head();
		// Polling follows the clock, which the test moves.
		if (signal === "poll") made.advance(20_000);
		const row = await revealed(service, contract);
		expect(row).toMatchObject({
			revealState: "revealed",
			detection: { signal, evidence },
			burst: { step: "ended", outcome: "revealed", tokens: COUNT, read: COUNT, failed: 0 },
		});
		if (signal !== "poll") expect(row?.detection.blockNumber).toBe(block);
		const frames = await stream.take(2, ({ type }) => type === "reveal");
		expect(frames.map(({ data }) => data.phase)).toEqual(["detected", "revealed"]);
		expect(frames[1].data.detection).toEqual(row?.detection);
		stream.close();
		const ranks = await ranksOf(service, contract);
		expect(ranks.every((rank) => rank !== null)).toBe(true);
		expect(new Set(ranks).size).toBeGreaterThan(1);
		const { body } = await service.get(`${path}?chain=anvil`);
		expect(body.market).toMatchObject({ revealState: "revealed" });
		expect(body.market.revealedAt).not.toBeNull();
		const traits = await service.get(`${path}/traits?chain=anvil`);
		expect(traits.body.data.length).toBeGreaterThan(0);
	});
}
