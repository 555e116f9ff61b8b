import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";

const isAddress = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const address = z.string().refine(isAddress);
const units = z.string().regex(/^[1-9]\d{0,77}$/);

/** What a run is asked to do. What it buys is decided when it is planned, by the bounds then. */
export const buybackRequest = z.strictObject({
	/** The ten minutes that it is the one run of. */
	slot: z.int().min(0),
	token: address,
	router: address,
	burner: address,
	/** The zero address is the chain's own coin. */
	paidWith: address,
	symbol: z.string().min(1).max(16),
	decimals: z.int().min(0).max(36),
	/** What is spent, in base units: this, and never more. */
	spendRaw: units,
	/**
	 * What the router has to have paid for burning, ever, before that is spent: what runs before this
	 * one spent, and this. So what an operator sent the keeper for gas is never burned.
	 */
	releasedRaw: units,
});
export type BuybackRequest = z.output<typeof buybackRequest>;

/** What a step asks that has the router pay the burn's share of a currency to the keeper. */
export const releaseRequest = z.strictObject({ router: address, currency: address });
export type ReleaseRequest = z.output<typeof releaseRequest>;
