import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { createOrderMemory, readPush } from "#plugins/provider/stream/readEvent.ts";
import { enveloped } from "#plugins/provider/stream/testing/sampleEvents.ts";
import { createChainNames } from "#plugins/provider/wire/rows.ts";
import { pushFrames } from "#test/bench/measure/pushFrames.ts";

test("the stream's reader accepts a burst: each frame is a push, in the planned numbers", () => {
	const nowMs = Date.UTC(2026, 10, 20);
	const collections = ["cats", "dogs", "birds"].map((slug, number) => {
		return { slug, address: `0x${String(number + 1).padStart(40, "0")}` };
	});
	const { frames, stored } = pushFrames(100, { collections, nowMs });
	const chains = createChainNames(createChainRegistry(builtinChains));
	const orders = createOrderMemory();
	const told = frames.map(({ slug, type, inner }) => {
		const frame = {
			joinRef: null,
			ref: null,
			topic: `collection:${slug}`,
			event: type,
			payload: enveloped(type, inner),
		};
		return readPush(frame, slug, { chains, orders, nowMs });
	});
	const pushes = told.map((one) => (one.kind === "push" ? one.push.type : one.kind));
	const count = (type: string) => pushes.filter((one) => one === type).length;
	expect(pushes).toHaveLength(100);
	expect(count("order")).toBe(stored.orders);
	expect(count("event")).toBe(stored.events);
	expect(count("order_gone")).toBe(10);
	expect(frames.filter(({ slug }) => slug === "cats")).toHaveLength(50);
});
