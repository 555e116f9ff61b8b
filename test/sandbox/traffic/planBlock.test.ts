import { expect, test } from "bun:test";
import { createPrng } from "../createPrng.ts";
import { createActors, emptyWorld, World } from "../World.ts";
import { planBlock } from "./planBlock.ts";
import type { PlannedTx } from "./Scene.ts";

const actors = createActors(40);
const nowS = 1_795_000_000;

function freshWorld(seed: number): World {
	return emptyWorld({ seed, historyBlocks: 30, startS: nowS, actors }, actors[0]!.address);
}

async function plan(world: World, blocks: number): Promise<PlannedTx[]> {
	const prng = createPrng(world.prngState);
	const all: PlannedTx[] = [];
	for (let n = 0; n < blocks; n++) {
		const scene = {
			world,
			prng,
			actors,
			nowS: nowS + n * 900,
			touched: new Set<string>(),
			txs: [],
		};
		await planBlock(scene, { sales: 1, mints: 1 });
		all.push(...scene.txs);
	}
	world.prngState = prng.state();
	return all;
}

test("the same seed plans the same world, to the last signature", async () => {
	const [one, same, other] = [freshWorld(3), freshWorld(3), freshWorld(4)];
	expect(await plan(one, 12)).toEqual(await plan(same, 12));
	expect(await plan(freshWorld(3), 12)).not.toEqual(await plan(other, 12));
});

test("a world read back from JSON continues as the original would", async () => {
	const world = freshWorld(3);
	await plan(world, 10);
	const copy = World.parse(JSON.parse(JSON.stringify(world)));
	expect(await plan(copy, 1)).toEqual(await plan(world, 1));
});

test("no account gets fewer than zero units, and no supply exceeds its limit", async () => {
	const world = freshWorld(5);
	await plan(world, 60);
	for (const { units, owners, minted } of world.collections) {
		expect(units.flat().every((held) => held >= 0)).toBe(true);
		expect(units.flat().reduce((sum, held) => sum + held, owners.length)).toBe(minted);
	}
	expect(world.collections.find(({ key }) => key === "astro")?.minted).toBe(400);
});

test("every kind of trade is planned", async () => {
	const world = freshWorld(6);
	await plan(world, 150);
	for (const label of [
		"listing native",
		"listing coin",
		"listing forAnother",
		"listing partial",
		"offer item",
		"offer collection",
		"bundle",
		"sweep",
		"private sale",
		"match",
		"gift",
		"transfer",
		"mint",
		"mint batch",
		"mint reserved",
		"coin mint",
		"reveal",
	]) {
		expect([label, world.counts[label] ?? 0]).not.toEqual([label, 0]);
	}
});
