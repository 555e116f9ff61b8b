import { z } from "zod";
import { storablePayload } from "#plugins/market-index/payload/storablePayload.ts";
import type { ProviderCollection } from "#plugins/provider/contract.ts";

/** A row of the provider's list as it is stored, in the provider's order. */
export const listedRowSchema = z.object({
	/** The provider's slug. */
	slug: z.string(),
	/** Its chain by the provider: the list's chain if it is there too. */
	chainId: z.int().nullable(),
	address: z.templateLiteral(["0x", z.string()]).nullable(),
	/** True where it has other contracts too: its figures are then none of this contract's. */
	isShared: z.boolean(),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	/** The provider's row, without what may not be shown. */
	raw: z.record(z.string(), z.unknown()),
});

export type ListedRow = z.output<typeof listedRowSchema>;

/**
 * Returns one row for each collection, in the given order; collections that the provider took down
 * are left out.
 */
export function listedRows(chainId: number, listed: readonly ProviderCollection[]): ListedRow[] {
	const rows = new Map<string, ListedRow>();
	for (const { slug, name, imageUrl, contracts, isDisabled, raw } of listed) {
		if (isDisabled || rows.has(slug)) continue;
		const own = contracts.find((contract) => contract.chainId === chainId) ?? contracts[0];
		rows.set(slug, {
			slug,
			chainId: own?.chainId ?? null,
			address: own?.address ?? null,
			isShared: contracts.length > 1,
			name,
			imageUrl,
			raw: { ...storablePayload(raw) },
		});
	}
	return [...rows.values()];
}
