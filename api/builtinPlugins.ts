import { agentPlugin } from "#agent/plugin.ts";
import { definePlugins } from "#core/plugin/Plugin.ts";
import { bridgePlugin } from "#plugins/bridge/plugin.ts";
import { chainScannerPlugin } from "#plugins/chain-scanner/plugin.ts";
import { custodyPlugin } from "#plugins/custody/plugin.ts";
import { linkPagePlugin } from "#plugins/link-page/plugin.ts";
import { looksRarePlugin } from "#plugins/looksrare/plugin.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import { nftBuysPlugin } from "#plugins/nft-buys/plugin.ts";
import { pricesPlugin } from "#plugins/prices/plugin.ts";
import { providerPlugin } from "#plugins/provider/plugin.ts";
import { revealSnipePlugin } from "#plugins/reveal-snipe/plugin.ts";
import { socialPlugin } from "#plugins/social/plugin.ts";
import { streamsPlugin } from "#plugins/streams/plugin.ts";
import { tokenomicsPlugin } from "#plugins/tokenomics/plugin.ts";
import { tradingPlugin } from "#plugins/trading/plugin.ts";
import { transfersPlugin } from "#plugins/transfers/plugin.ts";
import { walletsPlugin } from "#plugins/wallets/plugin.ts";

/**
 * Lists the plugins that ship. The loader sorts them; a need that none of them provides does not
 * compile.
 */
export const builtinPlugins = definePlugins([
	chainScannerPlugin,
	looksRarePlugin,
	marketIndexPlugin,
	providerPlugin,
	pricesPlugin,
	streamsPlugin,
	custodyPlugin,
	walletsPlugin,
	linkPagePlugin,
	transfersPlugin,
	nftBuysPlugin,
	revealSnipePlugin,
	bridgePlugin,
	tradingPlugin,
	tokenomicsPlugin,
	agentPlugin,
	socialPlugin,
]);
