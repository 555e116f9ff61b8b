import { type Address, isAddress } from "viem";
import { z } from "zod";
import type { StockWorld } from "../openStockWorld.ts";

const ticker = z.string().min(1).max(16);
const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
const units = z
	.string()
	.regex(/^-?\d{1,78}$/)
	.transform(BigInt);

/** One change of the stock world, as `POST /_sandbox/world` takes it. */
export const Hand = z.discriminatedUnion("do", [
	z.object({ do: z.literal("move"), prices: z.record(z.string(), z.number().positive()) }),
	z.object({
		do: z.literal("feed"),
		name: ticker,
		answer: units,
		updatedAtS: z.int().min(1).optional(),
	}),
	z.object({ do: z.literal("feed_dead"), name: ticker, is: z.boolean() }),
	/** All pools of a stock. */
	z.object({ do: z.literal("drain"), ticker, keepBps: z.int().min(0).max(10_000).default(0) }),
	z.object({ do: z.literal("pause"), ticker, is: z.boolean() }),
	z.object({ do: z.literal("block"), ticker, account: address, is: z.boolean() }),
	z.object({ do: z.literal("tax"), ticker, bps: z.int().min(0).max(10_000) }),
	z.object({ do: z.literal("rebase"), ticker, index: units }),
	z.object({
		do: z.literal("multiplier"),
		ticker,
		multiplier: units,
		atS: z.int().min(1).optional(),
	}),
	z.object({ do: z.literal("oracle_paused"), ticker, is: z.boolean() }),
	z.object({ do: z.literal("give"), token: ticker, to: address, raw: units }),
]);
export type Hand = z.output<typeof Hand>;

/** Applies a change; throws for an unknown ticker or feed. */
export async function lendHand(world: StockWorld, hand: Hand): Promise<void> {
	switch (hand.do) {
		case "move":
			return await world.moveMarket(hand.prices);
		case "feed":
			return await world.setFeed(hand.name, hand.answer, hand.updatedAtS);
		case "feed_dead":
			return await world.setFeedDead(hand.name, hand.is);
		case "give":
			return await world.give(tokenOf(world, hand.token), hand.to, hand.raw);
		case "drain":
			for (const pool of world.stock(hand.ticker).pools) await world.drain(pool, hand.keepBps);
			return;
		default:
			return await handle(world, hand);
	}
}

type TokenHand = Exclude<Hand, { do: "move" | "feed" | "feed_dead" | "give" | "drain" }>;

async function handle(world: StockWorld, hand: TokenHand): Promise<void> {
	const { address: token } = world.stock(hand.ticker);
	switch (hand.do) {
		case "pause":
			return await world.setPaused(token, hand.is);
		case "block":
			return await world.setBlocked(token, hand.account, hand.is);
		case "tax":
			return await world.setTransferFee(token, hand.bps);
		case "rebase":
			return await world.rebase(token, hand.index);
		case "multiplier":
			return await world.setMultiplier(token, hand.multiplier, hand.atS);
		case "oracle_paused":
			return await world.setOraclePaused(token, hand.is);
	}
}

function tokenOf({ addresses, stock }: StockWorld, name: string): Address {
	if (name === "USDG") return addresses.usdg;
	return name === "WETH" ? addresses.weth : stock(name).address;
}
