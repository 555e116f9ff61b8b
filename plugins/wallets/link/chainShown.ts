import type { LinkContext } from "#plugins/wallets/link/LinkContext.ts";

/** A chain for a person, also where it is not defined any more. */
export function chainShown(
	chainOf: LinkContext["chainOf"],
	chainId: number,
): { id: number; slug: string; name: string } {
	const chain = chainOf(chainId);
	return {
		id: chainId,
		slug: chain?.slug ?? String(chainId),
		name: chain?.name ?? `chain ${chainId}`,
	};
}
