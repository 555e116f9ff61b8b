// Wires the bridge plugin.

import { join } from "node:path";
import { Elysia } from "elysia";
import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { createSteps } from "#core/steps.ts";
import {
	type BridgeContext,
	type BridgeStepName,
	bridgeConfig,
} from "#plugins/bridge/bridgeConfig.ts";
import { authorizeKind } from "#plugins/bridge/bridges/authorizeKind.ts";
import { createBridges } from "#plugins/bridge/bridges/createBridges.ts";
import { depositKind } from "#plugins/bridge/bridges/depositKind.ts";
import { ownedBridges } from "#plugins/bridge/bridges/ownedBridges.ts";
import { pinnedName } from "#plugins/bridge/bridges/pinContracts.ts";
import { bridgeCommands, bridgeTools } from "#plugins/bridge/bridgeTools.ts";
import {
	BridgeOperatorKey,
	operateBridges,
	operatorCommands,
} from "#plugins/bridge/operator/operateBridges.ts";
import { createChainReaders } from "#plugins/bridge/reconcile/createChainReaders.ts";
import { lookNow, reconcileJobs } from "#plugins/bridge/reconcile/reconcileJobs.ts";
import { createBridgeWebhooks } from "#plugins/bridge/reconcile/webhooks.ts";
import { createDirectory, createRelay, offRelay } from "#plugins/bridge/relay/createRelay.ts";
import { RELAY_BASE_URL_DEFAULT } from "#plugins/bridge/relay/createRelayClient.ts";
import { adminRoutes } from "#plugins/bridge/routes/adminRoutes.ts";
import { discoveryRoutes } from "#plugins/bridge/routes/discoveryRoutes.ts";
import { intentRoutes } from "#plugins/bridge/routes/intentRoutes.ts";
import { preferenceRoutes } from "#plugins/bridge/routes/preferenceRoutes.ts";
import { webhookRoutes } from "#plugins/bridge/routes/webhookRoutes.ts";
import { PricesKey } from "#plugins/prices/contract.ts";
import { createSignedIn, OwnedActionsPoint, WalletsKey } from "#plugins/wallets/contract.ts";

const config = z.object(bridgeConfig);
const MINUTE_MS = 60_000;

/** Moves money to another chain, and knows at every moment where it is. */
export const bridgePlugin = definePlugin({
	name: "bridge",
	version: "1",
	config,
	needs: { wallets: WalletsKey, prices: PricesKey },
	offers: BridgeOperatorKey,
	cli: operatorCommands,
	contributes: [contribute(OwnedActionsPoint, ownedBridges)],
	tables: { schema: "bridge", folder: join(import.meta.dir, "migrations") },
	setup({ config, core, needs }) {
		const ending = new AbortController();
		const context = contextOf(core, { ...needs, config, ending: ending.signal });
		needs.wallets.execution.register(depositKind(context));
		needs.wallets.execution.register(authorizeKind(context));
		// Nothing is sent to what the provider only takes orders' money by, also by transfers.
		needs.wallets.execution.tokens.registerContracts((place) => pinnedName(context, place));
		const bridges = createBridges(context);
		const signedIn = createSignedIn(needs.wallets);
		const { BRIDGE_API_KEY: key } = config;
		const { db, clock, metrics } = core;
		const onWoken = (bridgeId: string) => void lookNow(context, bridgeId);
		const webhooks =
			key === undefined ? null : createBridgeWebhooks(key, { db, clock, metrics, onWoken });
		return {
			// For commands of an operator's shell: what they change is taken further by the service.
			service: operateBridges(context, { bridges }),
			routes: new Elysia()
				.use(
					new Elysia({ prefix: "/v1/bridges" })
						.use(discoveryRoutes(context, signedIn))
						.use(intentRoutes({ bridges, signedIn }))
						.use(preferenceRoutes(context, signedIn)),
				)
				.use(adminRoutes(context, bridges))
				.use(webhookRoutes(webhooks)),
			jobs: reconcileJobs(context),
			tools: bridgeTools({ context, bridges }),
			commands: bridgeCommands,
			stop: () => ending.abort(),
		};
	},
});

type Given = Pick<BridgeContext, "wallets" | "prices" | "ending"> & {
	config: z.output<typeof config>;
};

function contextOf(core: Core, { config, wallets, prices, ending }: Given): BridgeContext {
	const { ENABLE_BRIDGING: isOn, BRIDGE_DRY_RUN: isDryRun, BRIDGE_API_KEY: apiKey } = config;
	const baseUrl = config.BRIDGE_BASE_URL ?? (isOn || apiKey ? RELAY_BASE_URL_DEFAULT : null);
	const relay =
		baseUrl === null
			? offRelay
			: createRelay({ core, baseUrl: baseUrl.replace(/\/+$/, ""), apiKey, ending });
	const alarms = core.metrics.counter({
		name: "bridge_alarms_total",
		help: "What bridging needed an operator for, by reason.",
		labels: ["reason"],
	});
	return {
		...{ core, wallets, prices, relay, ending },
		newId: () => Bun.randomUUIDv7(),
		steps: createSteps<BridgeStepName>(core.observeSteps),
		directory: createDirectory({ relay, clock: core.clock }),
		readers: createChainReaders({ core, urls: config.BRIDGE_RPC_URLS_JSON }),
		settings: {
			...{ isOn, isDryRun, isSocialOn: config.ENABLE_SOCIAL_BRIDGING },
			usesPermits: config.BRIDGE_USE_PERMITS,
			directTokens: config.BRIDGE_DIRECT_JSON,
			deniedChainIds: new Set(config.BRIDGE_DENIED_CHAIN_IDS.map(Number)),
			timeoutMs: config.BRIDGE_STATUS_TIMEOUT_MINUTES * MINUTE_MS,
		},
		alarm(reason, about) {
			alarms.inc({ reason });
			core.log.error("bridging needs an operator", { reason, about });
		},
	};
}
