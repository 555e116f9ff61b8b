import { expect, test } from "bun:test";
import type { Address } from "viem";
import { createActors, emptyWorld } from "../../World.ts";
import { addCollection, matchWorld, newMarket } from "./Market.ts";

const actors = createActors(40);
const addressOf = (index: number): Address => actors[index]!.address.toLowerCase() as Address;
const person: Address = `0x${"11".repeat(20)}`;

test("the simulated traders do not use a token that a person bought, until it is returned", () => {
	const world = emptyWorld({ seed: 1, historyBlocks: 8, startS: 0, actors }, person);
	const market = newMarket();
	const meet = (key: string, standard: "erc721" | "erc1155") => {
		const address = world.collections.find((state) => state.key === key)!.address;
		const facts = {
			standard,
			name: key,
			description: null,
			image: null,
			owner: null,
			mint: null,
			royalty: null,
			conduitKeys: new Map(),
			traitIds: new Map(),
		};
		const lower = address.toLowerCase() as Address;
		return addCollection(market, { ...facts, address: lower }, 0);
	};
	const tokens = meet("harbor", "erc721");
	tokens.units = 3n;
	for (const [id, holder] of [
		[1n, addressOf(5)],
		[2n, person],
		[3n, addressOf(0)],
	] as const) {
		tokens.holders.set(id, new Map([[holder, 1n]]));
	}
	meet("tide", "erc1155").holders.set(
		2n,
		new Map([
			[person, 3n],
			[addressOf(7), 4n],
		]),
	);
	matchWorld(world, market, actors);
	const state = (key: string) => world.collections.find((one) => one.key === key)!;
	expect(state("harbor")).toMatchObject({ owners: [5, -1, 0], minted: 3 });
	expect(state("tide").units[1]?.[7]).toBe(4);
	expect(
		state("tide")
			.units.flat()
			.reduce((sum, held) => sum + held, 0),
	).toBe(4);
});
