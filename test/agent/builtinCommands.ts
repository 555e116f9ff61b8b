import { createHelp } from "#agent/help.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { AnyTool, Command } from "#core/plugin/Tool.ts";
import { bridgeCommands, bridgeTools } from "#plugins/bridge/bridgeTools.ts";
import { marketCommands } from "#plugins/market-index/agent/marketCommands.ts";
import { marketTools } from "#plugins/market-index/agent/marketTools.ts";
import { buyCommands, buyTools } from "#plugins/nft-buys/buyTools.ts";
import { ownNftCommands } from "#plugins/nft-buys/ownNftCommands.ts";
import { ownNftTools } from "#plugins/nft-buys/ownNftTools.ts";
import { plansCommands, plansTools } from "#plugins/reveal-snipe/plansTools.ts";
import { revealTools } from "#plugins/reveal-snipe/revealTools.ts";
import { economicsCommands, economicsTools } from "#plugins/tokenomics/economicsTools.ts";
import { holdingCommands, holdingTools } from "#plugins/trading/holdingTools.ts";
import { pastStockCommands } from "#plugins/trading/pastStockCommands.ts";
import { pastStockTools } from "#plugins/trading/pastStockTools.ts";
import { stockCommands, stockTools } from "#plugins/trading/stockTools.ts";
import { tradeCommands } from "#plugins/trading/tradeCommands.ts";
import { tradeTools } from "#plugins/trading/tradeTools.ts";
import { transferCommands, transferTools } from "#plugins/transfers/transferTools.ts";
import { walletCommands, walletTools } from "#plugins/wallets/agent/walletTools.ts";

/** No tool looks at what it is made of before it runs, and none runs here. */
const idle = { core: {} } as never;

/** Of all plugins of the product, as the loader collects them, with the agent's own. */
const ofPlugins: AnyTool[] = [
	...marketTools(idle),
	...walletTools(idle),
	...transferTools(idle),
	...buyTools(idle),
	...ownNftTools(idle),
	...revealTools(idle),
	...plansTools(idle),
	...bridgeTools(idle),
	...stockTools(idle),
	...pastStockTools(idle),
	...holdingTools(idle),
	...tradeTools(idle),
	...economicsTools(idle),
];
const typed = [
	...marketCommands,
	...walletCommands,
	...transferCommands,
	...buyCommands,
	...ownNftCommands,
	...plansCommands,
	...bridgeCommands,
	...stockCommands,
	...pastStockCommands,
	...holdingCommands,
	...tradeCommands,
	...economicsCommands,
];
const help = createHelp(typed, ofPlugins);

export const builtinTools: readonly AnyTool[] = [...ofPlugins, help.tool];
export const builtinCommands: readonly Command[] = [...typed, help.command];

const reading = new Set(builtinTools.filter(({ effect }) => effect === "read").map((t) => t.name));

/** As the agent makes its grammar of them. */
export const builtinOptions = {
	isStrict: ({ tool }: Command) => !reading.has(tool),
	chains: createChainRegistry(builtinChains),
};
