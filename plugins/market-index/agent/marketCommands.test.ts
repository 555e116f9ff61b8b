import { expect, test } from "bun:test";
import type { Slot } from "#core/plugin/Tool.ts";
import { marketCommands } from "#plugins/market-index/agent/marketCommands.ts";
import { marketTools } from "#plugins/market-index/agent/marketTools.ts";
import { createMarketFixture } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: each command about the market asks a tool that takes its values. How they are read is
// proven over the commands of all plugins together.

function sampleOf(slot: Slot | undefined): string {
	switch (slot?.kind) {
		case "collection":
			return "kiln folk";
		case "token":
			return "12";
		case "window":
		case "period":
			return "7d";
		case "chain":
			return "base";
		case "word":
			return slot.of[0] ?? "";
		default:
			throw new Error(`the market has no ${slot?.kind}`);
	}
}

test("each market command's tool accepts its values, and each market tool has a command", async () => {
	const database = await createTestDatabase();
	try {
		const tools = marketTools(createMarketFixture(database.db));
		for (const command of marketCommands) {
			const given = Object.entries(command.slots).map(([name, slot]) => [name, sampleOf(slot)]);
			const values = Object.fromEntries(given);
			const found = tools.find(({ name }) => name === command.tool);
			const taken = found?.input.safeParse(command.input?.(values) ?? values);
			expect([command.name, taken?.error?.message]).toEqual([command.name, undefined]);
			expect([command.name, taken?.success]).toEqual([command.name, true]);
		}
		const asked = new Set(marketCommands.map(({ tool }) => tool));
		expect([...asked].toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
	} finally {
		await database.drop();
	}
});
