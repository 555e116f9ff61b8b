import type { AnyTool } from "#core/plugin/Tool.ts";
import { collectionTools } from "#plugins/market-index/agent/collectionTools.ts";
import { holdingTools } from "#plugins/market-index/agent/holdingTools.ts";
import { marketWideTools } from "#plugins/market-index/agent/marketWideTools.ts";
import { createResolver } from "#plugins/market-index/agent/resolveCollection.ts";
import { tradeTools } from "#plugins/market-index/agent/tradeTools.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { createSearcher } from "#plugins/market-index/search/createSearcher.ts";

/**
 * Returns the agent's tools about the market. Every caller may use them, and they change nothing.
 */
export function marketTools(context: RouteContext): AnyTool[] {
	const search = createSearcher(context);
	const resolve = createResolver({ core: context.core, search });
	const deps = { ...context, search, resolve };
	return [
		...collectionTools(deps),
		...tradeTools(deps),
		...holdingTools(deps),
		...marketWideTools(deps),
	];
}
