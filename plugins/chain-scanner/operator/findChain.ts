import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/**
 * Returns the chain that an operator names, by slug, id or alias; throws where it is not indexed.
 */
export function findChain(
	{ chains, indexed }: Pick<Core, "chains" | "indexed">,
	name: string | undefined,
): ChainAccess {
	const id = name === undefined ? undefined : chains.bySlug(name)?.id;
	const access = indexed.find(({ chain }) => chain.id === id && id !== undefined);
	if (access) return access;
	const known = indexed.map(({ chain }) => chain.slug).join(", ");
	const given = name === undefined ? "--chain is missing" : `--chain names "${name}"`;
	throw scannerFault.command({ public: `${given}. CHAINS has: ${known}.` });
}
