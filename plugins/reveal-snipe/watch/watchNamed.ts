import { Fault } from "#core/fault/Fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";

/**
 * Has the collections watched that the operator named, as far as the index knows them; whom he no
 * longer names is not watched for him any more. Answers the names that are not known yet.
 */
export async function watchNamed(
	{ core, find }: { core: Pick<Core, "db" | "clock" | "chains">; find: MarketIndex["find"] },
	names: readonly string[],
): Promise<string[]> {
	const ids: number[] = [];
	const unknown: string[] = [];
	for (const name of names) {
		const [chainName = "", slug = ""] = name.split("/");
		const found = await find(slug, chainName).catch((error: unknown) => {
			if (error instanceof Fault) return null;
			throw error;
		});
		const chain = found && core.chains.bySlug(found.chain);
		if (!chain) {
			unknown.push(name);
			continue;
		}
		ids.push(found.id);
		await watchCollection(core.db, {
			...{ collectionId: found.id, chainId: chain.id, reason: "operator" },
			at: new Date(core.clock.nowMs()),
		});
	}
	await unwatchOthers(core.db, "operator", ids);
	return unknown;
}
