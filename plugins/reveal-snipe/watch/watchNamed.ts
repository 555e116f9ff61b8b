import { Fault } from "#core/fault/Fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";

/**
 * Watches the collections that the operator configured, as far as the index knows them, and ends
 * the operator's watch of all others.
 */
export async function watchNamed(
	{ core, find }: { core: Pick<Core, "db" | "clock" | "chains">; find: MarketIndex["find"] },
	names: readonly string[],
): Promise<void> {
	const ids: number[] = [];
	for (const name of names) {
		const [chainName = "", slug = ""] = name.split("/");
		const found = await find(slug, chainName).catch(unlessUnknown);
		const chain = found && core.chains.bySlug(found.chain);
		if (!chain) continue;
		ids.push(found.id);
		await watchCollection(core.db, {
			...{ collectionId: found.id, chainId: chain.id, reason: "operator" },
			at: new Date(core.clock.nowMs()),
		});
	}
	await unwatchOthers(core.db, "operator", ids);
}

/** Returns null for a name that is not known yet. Any other failure must not end a watch. */
function unlessUnknown(error: unknown): null {
	if (error instanceof Fault && (error.status === 404 || error.status === 422)) return null;
	throw error;
}
