import { z } from "zod";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { linkPageRoutes } from "#plugins/link-page/linkPageRoutes.ts";
import { WalletsKey } from "#plugins/wallets/contract.ts";

/** The page at which people look at what a one-time link asks, and answer it. */
export const linkPagePlugin = definePlugin({
	name: "link-page",
	version: "1",
	config: z.object({}),
	// It asks their routes, from the browser.
	needs: { wallets: WalletsKey },
	setup: () => ({ routes: linkPageRoutes() }),
});
