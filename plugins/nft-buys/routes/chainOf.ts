import type { Chain } from "#core/chain/Chain.ts";
import { buyFault, invalidBody } from "#plugins/nft-buys/faults.ts";
import type { BuyContext } from "#plugins/nft-buys/routes/BuyContext.ts";

/**
 * Returns the chain that a body names, in any spelling; without a name, the only one that is
 * served.
 */
export function chainOf(
	{ chains, served }: Pick<BuyContext, "chains" | "served">,
	text: string | undefined,
): Chain {
	const slugs = served.map(({ slug }) => slug).join(", ");
	const [only] = served;
	if (text === undefined) {
		if (only && served.length === 1) return only;
		throw buyFault.chainRequired({ public: `Name the chain. Served here: ${slugs}.` });
	}
	const id = chains.bySlug(text)?.id;
	const found = served.find((chain) => chain.id === id);
	if (found) return found;
	throw invalidBody("chain", `"${text}" is not served here. Served: ${slugs}.`);
}
