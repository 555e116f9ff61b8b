import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { encodeFunctionData } from "viem";
import { tokenAbi } from "../knownContracts.ts";
import { readFrame, writeFrame } from "./streamHub.ts";
import { type Lab, openLab, openSocket, type TestSocket } from "./testing/openLab.ts";

describe("readFrame", () => {
	const frame = { joinRef: "1", ref: "2", topic: "collection:x", event: "phx_join", payload: {} };

	test("frames of both versions are read to the same content", () => {
		expect(readFrame('["1","2","collection:x","phx_join",{}]')).toEqual(frame);
		const object = '{"topic":"collection:x","event":"phx_join","payload":{},"ref":2,"join_ref":1}';
		expect(readFrame(object)).toEqual(frame);
	});

	test("an answer is written in the version of its client", () => {
		expect(writeFrame("2.0.0", frame)).toBe('["1","2","collection:x","phx_join",{}]');
		expect(JSON.parse(writeFrame("1.0.0", frame))).toEqual({
			topic: "collection:x",
			event: "phx_join",
			payload: {},
			ref: "2",
		});
	});

	for (const text of ["", "[]", "{}", "null", '["1"]', "not json", '{"topic":1,"event":"x"}']) {
		test(`${text || "nothing"} is no frame`, () => expect(readFrame(text)).toBeNull());
	}
});

describe("streamHub", () => {
	// Guarantee: the stream is a Phoenix server of both versions, and pushes changes of chain and
	// book at once, in the provider's doubly nested payloads.

	const SLUG = "kiln-folk";
	const TOPIC = `collection:${SLUG}`;
	let lab: Lab;
	let person: `0x${string}`;
	const sockets: TestSocket[] = [];

	beforeAll(async () => {
		lab = await openLab(20);
		[person = "0x"] = (await lab.rpc.call("eth_accounts")) as `0x${string}`[];
	});
	afterAll(() => lab?.close());
	afterEach(() => {
		lab.emulator.clearFaults();
		for (const socket of sockets.splice(0)) socket.close();
	});

	async function open(query = "vsn=2.0.0"): Promise<TestSocket> {
		const socket = await openSocket(`${lab.emulator.streamUrl}?token=x&${query}`);
		sockets.push(socket);
		return socket;
	}

	async function join(socket: TestSocket, topic = TOPIC, payload: unknown = {}): Promise<void> {
		socket.send(["1", "1", topic, "phx_join", payload]);
		await socket.next((frame) => frame[2] === topic && frame[3] === "phx_reply");
	}

	/** Buys the cheapest listing of the collection for ether; returns its order and transaction. */
	async function buy(): Promise<{ order_hash: string; transaction: string }> {
		const { body } = await lab.get(`/listings/collection/${SLUG}/best?limit=50`);
		const listing = body.listings.find((one: any) => one.price.current.currency === "ETH");
		const { order_hash, chain, protocol_address } = listing;
		const named = { listing: { hash: order_hash, chain, protocol_address } };
		const { call } = await lab.simulate("/listings/fulfillment_data", person, named);
		const transaction = await lab.send(person, call);
		await lab.emulator.sync();
		return { order_hash, transaction };
	}

	const is = (event: string) => (frame: any) => frame[3] === event;
	const inner = (frame: any) => frame[4].payload;

	test("joins, heartbeats and leaves are answered, other frames are refused", async () => {
		const socket = await open();
		socket.send(["1", "1", TOPIC, "phx_join", {}]);
		socket.send([null, "7", "phoenix", "heartbeat", {}]);
		socket.send(["1", "8", TOPIC, "phx_leave", {}]);
		socket.send(["1", "9", "room:1", "phx_join", {}]);
		socket.send("nonsense");
		await socket.next((frame) => frame[1] === "9");
		const ok = { status: "ok", response: {} };
		expect(socket.frames).toEqual([
			["1", "1", TOPIC, "phx_reply", ok],
			[null, "7", "phoenix", "phx_reply", ok],
			["1", "8", TOPIC, "phx_reply", ok],
			[
				"1",
				"9",
				"room:1",
				"phx_reply",
				{ status: "error", response: { reason: "unmatched topic" } },
			],
		]);
	});

	test("a sale is pushed with its parties, its price and its token, together with the transfer", async () => {
		const socket = await open();
		await join(socket);
		const { order_hash, transaction } = await buy();
		const sold = await socket.next(is("item_sold"));
		expect(sold.slice(0, 4)).toEqual(["1", null, TOPIC, "item_sold"]);
		expect(sold[4]).toMatchObject({
			event_type: "item_sold",
			payload: {
				order_hash,
				transaction: { hash: transaction },
				taker: { address: person },
				collection: { slug: SLUG },
				chain: "anvil",
				item: { chain: { name: "anvil" } },
				payment_token: { symbol: "ETH", decimals: 18 },
			},
		});
		expect(inner(sold).item.nft_id).toMatch(/^anvil\/0x[0-9a-f]{40}\/\d+$/);
		const moved = await socket.next(is("item_transferred"));
		expect(inner(moved).to_account.address).toBe(person);
	});

	test("new and ended orders are pushed with each change of the book, of all collections to *", async () => {
		const socket = await open();
		await join(socket, "collection:*");
		for (let n = 0; n < 60; n++) {
			await lab.rpc.call("anvil_mine", ["0x1"]);
			await lab.emulator.sync();
			const seen = new Set(socket.frames.map((frame) => frame[3]));
			if (["item_listed", "item_cancelled", "collection_offer"].every((e) => seen.has(e))) break;
		}
		const listed = await socket.next(is("item_listed"));
		const { order_hash, base_price, payment_token } = inner(listed);
		const order = lab.emulator.market().orders.get(order_hash)!;
		expect([base_price, payment_token.symbol]).toEqual([
			String(order.totalRaw),
			order.currency.symbol,
		]);
		expect(inner(await socket.next(is("collection_offer"))).collection_criteria.slug).toBeString();
		const gone = await socket.next(is("item_cancelled"));
		expect(lab.emulator.market().orders.get(inner(gone).order_hash)?.status).toBe("CANCELLED");
	});

	test("a listing is invalidated when its seller gives the token away", async () => {
		const socket = await open();
		await join(socket);
		const { open: orders, facts } = lab.emulator.market().collections.get(SLUG)!;
		const order = [...orders].find((one) => one.kind === "listing" && one.status === "ACTIVE")!;
		const data = encodeFunctionData({
			abi: tokenAbi,
			functionName: "safeTransferFrom",
			args: [order.maker, `0x${"66".repeat(20)}`, order.tokenId!],
		});
		await lab.send(order.maker, { to: facts.address, data });
		await lab.emulator.sync();
		expect(inner(await socket.next(is("order_invalidate"))).order_hash).toBe(order.hash);
	});

	test("a join gets only the requested types of events", async () => {
		const socket = await open();
		await join(socket, TOPIC, { event_types: ["item_transferred"] });
		await buy();
		await socket.next(is("item_transferred"));
		socket.send([null, "7", "phoenix", "heartbeat", {}]);
		await socket.next((frame) => frame[1] === "7");
		expect(socket.frames.filter((frame) => frame[1] === null).map((f) => f[3])).toEqual([
			"item_transferred",
		]);
	});

	test("version 1 uses JSON objects", async () => {
		const socket = await open("vsn=1.0.0");
		socket.send({ topic: TOPIC, event: "phx_join", payload: {}, ref: 0 });
		await socket.next((frame) => frame.event === "phx_reply" && frame.ref === "0");
		await buy();
		const sold = await socket.next((frame) => frame.event === "item_sold");
		expect(sold).toMatchObject({ topic: TOPIC, payload: { event_type: "item_sold" } });
	});

	test("on request the stream disconnects everyone, doubles a push and changes the order", async () => {
		const first = await open();
		await join(first);
		lab.emulator.fault({ kind: "drop_stream" });
		expect(await first.closed).toBe(1013);
		const second = await open();
		await join(second);
		lab.emulator.fault({ kind: "duplicate", times: 1 });
		lab.emulator.fault({ kind: "reorder", times: 1 });
		await buy();
		await second.next(is("item_sold"));
		await second.next(is("item_transferred"));
		// Normally the transfer comes first, then the sale. Here it is delayed, and the sale comes
		// twice.
		const pushes = second.frames.filter((frame) => frame[1] === null).map((frame) => frame[3]);
		expect(pushes.slice(0, 3)).toEqual(["item_sold", "item_sold", "item_transferred"]);
	});

	test("a stream is refused without the key", async () => {
		const locked = lab.start({ apiKey: "secret" });
		expect(openSocket(`${locked.streamUrl}?vsn=2.0.0`)).rejects.toThrow();
		const socket = await openSocket(`${locked.streamUrl}?vsn=2.0.0&token=secret`);
		sockets.push(socket);
		await join(socket);
	});
});
