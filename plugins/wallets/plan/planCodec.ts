import { z } from "zod";
import type { Plan } from "#plugins/wallets/contract.ts";
import { signableSchema } from "#plugins/wallets/plan/Signable.ts";
import { storedField } from "#plugins/wallets/plan/storedField.ts";

const { address, hex } = storedField;
const units = storedField.units.transform((text) => BigInt(text));

/** A plan as it is stored: bigints as decimal text. What is read back is checked like all else. */
const storedPlan = z.object({
	chainId: z.int(),
	from: address,
	to: address,
	valueRaw: units,
	data: hex,
	spend: z.object({
		currency: address,
		raw: units,
		decimals: z.int(),
		symbol: z.string(),
		worth: z.object({ currency: address, raw: units }).exactOptional(),
	}),
	recipient: address.nullable(),
	feeRaw: units.exactOptional(),
	signs: signableSchema.exactOptional(),
	shown: z.record(z.string(), z.unknown()),
	expiresAtMs: z.number(),
});

/** Reads and writes plans as JSON. */
export const planCodec = {
	write(plan: Plan): Record<string, unknown> {
		const { spend, valueRaw, feeRaw } = plan;
		const { worth } = spend;
		return {
			...plan,
			valueRaw: String(valueRaw),
			...(feeRaw !== undefined && { feeRaw: String(feeRaw) }),
			spend: {
				...{ ...spend, raw: String(spend.raw) },
				...(worth && { worth: { ...worth, raw: String(worth.raw) } }),
			},
		};
	},
	read(stored: unknown): Plan {
		return storedPlan.parse(stored);
	},
};
