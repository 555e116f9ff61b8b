import { isAddress } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { UNITS_BOUND } from "#core/money/limits.ts";
import { UNITS_MAX } from "#plugins/nft-buys/limits.ts";

const isWord = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const isLower = (text: string): text is Address => /^0x[0-9a-f]{40}$/.test(text);
const whole = z
	.string()
	.regex(/^(0|[1-9]\d{0,77})$/, { error: "must be a whole number in decimal digits", abort: true });

/** Members of the bodies that buy and offer. Numbers arrive as text, see `exactNumbers`. */
export const bodyFields = {
	chain: z
		.string()
		.max(64)
		.optional()
		.meta({
			description: "By slug, other spelling or id. Optional where one chain is served.",
			examples: ["ethereum"],
		}),
	contract: z
		.string()
		// A mixed-case address has a checksum (EIP-55), and a wrong one is a typing error.
		.refine((text) => isAddress(text), "must be an address with a right checksum")
		.toLowerCase()
		.refine(isLower, "must be an address")
		.refine((text) => text !== ZERO_ADDRESS, "must be a contract")
		.meta({
			description: "The collection's contract.",
			examples: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
		}),
	tokenId: whole
		.refine((text) => BigInt(text) < UNITS_BOUND, "must fit 256 bits")
		.meta({ description: "A token's id, as text or as a number.", examples: ["6529"] }),
	quantity: whole
		.refine(
			(text) => text !== "0" && BigInt(text) <= BigInt(UNITS_MAX),
			`must be from 1 to ${UNITS_MAX}`,
		)
		.default("1")
		.meta({ description: "Units of an ERC-1155; 1 unless given." }),
	/** Parsed later by `parseAmount`, which knows the chain's coin. */
	price: z
		.string()
		.max(160)
		.meta({
			description:
				"In the chain's own coin, for all units together: plain decimal digits, as a string or as " +
				"a JSON number, which is read from its text.",
			examples: ["0.05"],
		}),
	orderHash: z
		.string()
		.toLowerCase()
		.refine(isWord, "must be 32 bytes in hex")
		.meta({
			pattern: "^0x[0-9a-fA-F]{64}$",
			description: "Exactly this listing.",
			examples: [`0x${"5d".repeat(32)}`],
		}),
	walletId: z
		.uuid()
		.optional()
		.meta({
			description: "Which of your wallets pays; the canonical one unless given.",
			examples: ["0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69"],
		}),
};

/** Members whose numbers must not become doubles. */
export const exactMembers = ["maxPriceNative", "priceNative", "tokenId", "quantity"] as const;
