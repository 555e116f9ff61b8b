import { definePlugins } from "#core/plugin/definePlugin.ts";
import { chainScannerPlugin } from "#plugins/chain-scanner/plugin.ts";
import { looksRarePlugin } from "#plugins/looksrare/plugin.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { pricesPlugin } from "#plugins/prices/plugin.ts";
import { providerPlugin } from "#plugins/provider/plugin.ts";
import { streamsPlugin } from "#plugins/streams/plugin.ts";

/** What ships. The loader sorts it; a need that nothing here meets does not compile. */
export const builtinPlugins = definePlugins([
	chainScannerPlugin,
	looksRarePlugin,
	marketIndexPlugin,
	providerPlugin,
	pricesPlugin,
	streamsPlugin,
]);
