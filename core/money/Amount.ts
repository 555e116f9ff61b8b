import type { Currency } from "#core/money/Currency.ts";

/** Money: a whole number of base units and what they are units of. */
export type Amount = {
	readonly units: bigint;
	readonly currency: Currency;
};
