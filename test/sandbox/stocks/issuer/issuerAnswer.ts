import { z } from "zod";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** Shares per token, with 18 decimals. */
const multiplier = z.string().regex(/^\d+\.\d{18}$/);

/** A token in the issuer's list. Errors in it may be intended. */
export const issuerRow = z.object({
	id: z.string(),
	tokenSymbol: z.string(),
	tokenName: z.string(),
	tokenDecimals: z.int(),
	currentMultiplier: multiplier,
	pendingMultiplier: multiplier,
	/** When the pending multiplier takes effect; null without one. */
	pendingMultiplierEffectiveTime: z.iso.datetime().nullable(),
	status: z.enum(["ASSET_STATUS_ACTIVE", "ASSET_STATUS_INACTIVE"]),
	deployments: z.array(
		z.object({ contractAddress: address, chainId: z.int(), networkName: z.string() }),
	),
});
export type IssuerRow = z.output<typeof issuerRow>;

/** The answer of `GET /rhj/assets`. */
export const issuerAnswer = z.object({ assets: z.array(issuerRow) });
