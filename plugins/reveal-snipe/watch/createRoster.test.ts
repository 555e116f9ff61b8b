import { expect, test } from "bun:test";
import type { RevealSubject } from "#plugins/market-index/contract.ts";
import { BLOCK_APART_MS, EVENT_APART_MS } from "#plugins/reveal-snipe/limits.ts";
import { createRoster } from "#plugins/reveal-snipe/watch/createRoster.ts";

const subject = (id: number): RevealSubject => ({
	...{ id, chainId: 1, slug: `c-${id}`, name: null, imageUrl: null, revealedAt: null },
	address: `0x${id.toString(16).padStart(40, "0")}`,
	standard: "erc721",
	revealState: "placeholder",
});

function lab() {
	const clock = { at: 1_000, nowMs: () => clock.at };
	const roster = createRoster({ clock, onAsked() {} });
	const known = { seen: new Map(), last: new Map() };
	const set = (...ids: number[]) => roster.set(ids.map(subject), known);
	const take = () => {
		const { looks, waitMs } = roster.take(60_000);
		return { ids: looks.map(({ watched }) => watched.subject.id), waitMs };
	};
	return { clock, roster, set, take };
}

test("[RVL-01] a collection is looked at once in 400 ms for blocks, and what came meanwhile is not lost", () => {
	const { clock, roster, set, take } = lab();
	const [one] = set(1);
	if (!one) throw new Error("nothing is watched");
	const block = (number: number) =>
		roster.ask(one, { signal: "block", block: { number, atMs: 1 } });
	block(1);
	expect(take().ids).toEqual([1]);
	clock.at += 100;
	block(2);
	block(3);
	expect(take()).toEqual({ ids: [], waitMs: BLOCK_APART_MS - 100 });
	clock.at += BLOCK_APART_MS - 100;
	const { looks } = roster.take(60_000);
	expect(looks.map(({ trigger }) => trigger.block?.number)).toEqual([3]);
	expect(take().ids).toEqual([]);
});

test("a log of the contract waits less than a block does", () => {
	const { clock, roster, set, take } = lab();
	const [one] = set(1);
	if (!one) throw new Error("nothing is watched");
	roster.ask(one, { signal: "block", block: null });
	take();
	roster.ask(one, { signal: "log", block: null });
	expect(take().waitMs).toBe(EVENT_APART_MS);
	clock.at += EVENT_APART_MS;
	expect(take().ids).toEqual([1]);
});

test("one that is being looked at waits, and one that could not be looked at is asked for again", () => {
	const { clock, roster, set, take } = lab();
	const [one, two] = set(1, 2);
	if (!one || !two) throw new Error("nothing is watched");
	for (const watched of [one, two]) roster.ask(watched, { signal: "poll", block: null });
	one.isLooking = true;
	const { looks } = roster.take(60_000);
	expect(looks.map(({ watched }) => watched.subject.id)).toEqual([2]);
	roster.giveBack(looks);
	one.isLooking = false;
	clock.at += BLOCK_APART_MS;
	expect(take().ids).toEqual([1, 2]);
});

test("who is no longer watched is forgotten, and who stays keeps what was seen", () => {
	const { roster, set } = lab();
	const [one] = set(1, 2);
	if (!one) throw new Error("nothing is watched");
	one.hiddenLooks = 2;
	expect(set(1, 3).map(({ subject }) => subject.id)).toEqual([3]);
	expect(roster.at(subject(1).address)?.hiddenLooks).toBe(2);
	expect(roster.at(subject(2).address)).toBeUndefined();
	expect(roster.all().map(({ subject }) => subject.id)).toEqual([1, 3]);
});
