import { z } from "zod";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** Shares for a token, with 18 places. */
const multiplier = z.string().regex(/^\d+\.\d{18}$/);

/** A token as the issuer lists it. Whatever is wrong with it may be so on purpose. */
export const issuerRow = z.object({
	id: z.string(),
	tokenSymbol: z.string(),
	tokenName: z.string(),
	tokenDecimals: z.int(),
	currentMultiplier: multiplier,
	pendingMultiplier: multiplier,
	/** When the pending one counts; null where none is pending. */
	pendingMultiplierEffectiveTime: z.iso.datetime().nullable(),
	status: z.enum(["ASSET_STATUS_ACTIVE", "ASSET_STATUS_INACTIVE"]),
	deployments: z.array(
		z.object({ contractAddress: address, chainId: z.int(), networkName: z.string() }),
	),
});
export type IssuerRow = z.output<typeof issuerRow>;

/** The answer of `GET /rhj/assets`. */
export const issuerAnswer = z.object({ assets: z.array(issuerRow) });
