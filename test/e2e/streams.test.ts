import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import {
	openStream,
	startTestService,
	type TestService,
	type TestStream,
} from "#test/harness/startTestService.ts";

// Guarantee: the events of a block reach every listener, once and in order, after they were stored.

let anvil: Anvil;
let chain: Awaited<ReturnType<typeof fixturesOn>>;
let service: TestService;
let plain: Hex;
const open: TestStream[] = [];

const buyer: Hex = "0x00000000000000000000000000000000000b0b01";

beforeAll(async () => {
	anvil = await startAnvil();
	chain = await fixturesOn(anvil);
	plain = await chain.deploy("Plain721", ["Streamed", 0n]);
	await chain.call("Plain721", plain, "mint", [buyer, 1n]);
	service = await startTestService({ chain: anvil });
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
});

afterAll(async () => {
	for (const stream of open) stream.close();
	await service?.stop();
	await service?.database.drop();
	await anvil?.stop();
});

const listen = async (path: string) => {
	const stream = await openStream(`${service.url.replace(/^http/, "ws")}${path}`);
	open.push(stream);
	return stream;
};

const mint = (count: bigint) => chain.call("Plain721", plain, "mint", [buyer, count]);

test("[STR-02] each row of discover reaches a listener once, numbered without a gap", async () => {
	const stream = await listen("/v1/nft-market/discover/stream?chain=anvil");
	const hello = await stream.next((frame) => frame.type === "hello");
	const hashes = [await mint(2n), await mint(1n)];
	const rows = await stream.take(3, (frame) => {
		return frame.type === "discover_row" && frame.data.section === "mints";
	});
	expect(rows.map((frame) => frame.data.row.transactionHash)).toEqual([
		hashes[0],
		hashes[0],
		hashes[1],
	]);
	expect(rows[0].data.row.collection.slug).toBeString();
	const seqs = stream.frames.filter((frame) => "seq" in frame && frame.type !== "hello");
	const numbered = seqs.map((frame) => frame.seq).filter((seq) => seq > hello.seq);
	expect(numbered).toEqual(numbered.map((_, index) => hello.seq + 1 + index));
	expect(rows.every((frame) => frame.topic === "discover:anvil")).toBe(true);
});

test("[STR-03] up to 40 mints of one run are published one by one", async () => {
	const stream = await listen(`/v1/nft-market/collections/${plain}/stream?chain=anvil`);
	const hash = await mint(40n);
	const frames = await stream.take(40, (frame) => frame.data?.transactionHash === hash);
	expect(frames.every((frame) => frame.type === "market_event")).toBe(true);
	expect(stream.frames.some((frame) => frame.type === "snapshot_required")).toBe(false);
});

test("[STR-03] 41 mints of one run are one snapshot_required and no mint frame", async () => {
	const collection = await listen(`/v1/nft-market/collections/${plain}/stream?chain=anvil`);
	const discover = await listen("/v1/nft-market/discover/stream?chain=anvil");
	const crowd = await mint(41n);
	// The window is one run of the lane: the next mint must be in the next run.
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
	const after = await mint(1n);
	for (const stream of [collection, discover]) {
		const hashOf = (frame: any) => frame.data?.transactionHash ?? frame.data?.row?.transactionHash;
		await stream.next((frame) => hashOf(frame) === after);
		const snapshots = stream.frames.filter((frame) => frame.type === "snapshot_required");
		expect(snapshots).toHaveLength(1);
		expect(stream.frames.filter((frame) => hashOf(frame) === crowd)).toHaveLength(0);
	}
});

test("[STR-02] a client that was disconnected gets what it missed, each frame once", async () => {
	const path = `/v1/nft-market/collections/${plain}/stream?chain=anvil`;
	const first = await listen(path);
	const hello = await first.next((frame) => frame.type === "hello");
	first.close();
	const missed = [await mint(1n), await mint(1n)];
	await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
	const again = await listen(`${path}&after=${hello.seq}&epoch=${hello.epoch}`);
	const live = await mint(1n);
	await again.next((frame) => frame.data?.transactionHash === live);
	const told = again.frames
		.filter((frame) => frame.type === "market_event")
		.map((frame) => frame.data.transactionHash);
	expect(told).toEqual([...missed, live]);
});

test("a stream of an unknown collection is refused with a problem", async () => {
	const response = await fetch(
		`${service.url}/v1/nft-market/collections/nobody/stream?chain=anvil`,
		{
			headers: {
				connection: "Upgrade",
				upgrade: "websocket",
				"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
				"sec-websocket-version": "13",
			},
		},
	);
	expect(response.status).toBe(404);
	expect((await response.json()).code).toBe("not_found");
});
