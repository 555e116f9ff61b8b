import { z } from "zod";
import { quieterLevel } from "#api/cli/quieterLevel.ts";
import { chainAccess } from "#api/service/chainAccess.ts";
import { openShared } from "#api/service/openShared.ts";
import { openStorage, type Storage } from "#api/service/openStorage.ts";
import { sectionsOf } from "#api/service/sectionsOf.ts";
import { createOperators } from "#core/admin/createOperators.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { inProcessBus } from "#core/bus/inProcessBus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { systemClock as clock } from "#core/clock/systemClock.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/secretsOf.ts";
import { assert } from "#core/fault/assert.ts";
import { openForeignFetch } from "#core/foreign/openForeignFetch.ts";
import { createLeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import { createLog } from "#core/log/createLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { createOutbox } from "#core/outbox/createOutbox.ts";
import { ChainPoint } from "#core/plugin/ChainPoint.ts";
import type { OpenedCore } from "#core/plugin/CliCommand.ts";
import type { Core } from "#core/plugin/Core.ts";
import { contributionsOf } from "#core/plugin/contributionsOf.ts";
import { createHost } from "#core/plugin/createHost.ts";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { orderPlugins } from "#core/plugin/orderPlugins.ts";
import type { AnyPlugin, Needs, Services } from "#core/plugin/Plugin.ts";
import { createJobQueue } from "#core/queue/createJobQueue.ts";

/**
 * Opens what the service stands on and sets the plugins up, but starts none. The command joins them
 * as a plugin of its own: so it gets what it needs as any other would.
 *
 * The log goes to `note`: stdout is the command's.
 */
export async function openCore<N extends Needs>(
	needs: N,
	given: { env: Environment; plugins: readonly AnyPlugin[]; note(line: string): void },
): Promise<OpenedCore<N>> {
	const { env, note } = given;
	let services: Services<N> | null = null;
	const command = definePlugin({
		name: "command",
		version: "1",
		config: z.object({}),
		needs,
		setup(context) {
			services = context.needs;
			return {};
		},
	});
	const plugins = orderPlugins([...given.plugins, command]);
	const sections = sectionsOf(plugins);
	const parsed = parseConfig(sections.all, env);
	const config = parsed.of(sections.core);
	const secrets = secretsOf(sections.all, env);
	const to = { write: (line: string) => note(line.trimEnd()) };
	const log = createLog({ level: quieterLevel(config.LOG_LEVEL), clock, secrets, to });
	for (const warning of parsed.warnings) note(warning);

	const chains = createChainRegistry([...builtinChains, ...contributionsOf(plugins)(ChainPoint)]);
	const metrics = createMetrics();
	let opened: Storage | null = null;
	const access = { clock, metrics, db: () => opened?.db ?? null };
	const { indexed, reached } = chainAccess(config, chains, log, access);
	const undo: (() => Promise<void>)[] = [];
	const close = async () => {
		for (const step of undo.splice(0).reverse()) await step();
	};
	try {
		const storage = await openStorage(config, plugins, log);
		undo.push(() => storage.close());
		opened = storage;
		const { db, holder, session } = storage;
		const deployment = () => createOutbox({ db, bus: inProcessBus(log), clock }).epoch();
		const redisUrl = config.REDIS_URL;
		const shared = await openShared({ redisUrl, db, deployment, clock, log, metrics });
		undo.push(() => shared.close());
		const core: Core = {
			role: config.ROLE,
			holder,
			session,
			leases: createLeaseKeeper({ db, holder, session, clock, log }),
			clock,
			log,
			db,
			bus: shared.bus,
			outbox: createOutbox({ db, bus: shared.bus, clock }),
			queue: createJobQueue(),
			pageCache: shared.pageCache,
			budget: shared.budget,
			foreignFetch: openForeignFetch(config),
			metrics,
			audit: createAudit({ clock }),
			operators: createOperators({ apiKey: config.ADMIN_API_KEY, clock, metrics }),
			chains,
			indexed,
			reached,
			observeSteps: null,
			allowedOrigins: config.WEB_ALLOWED_ORIGINS,
		};
		undo.push(() => core.leases.stop());
		await createHost({ plugins, config: parsed, core });
		assert(services !== null, "every plugin of the list is set up");
		return { core, needs: services, close };
	} catch (error) {
		await close();
		throw error;
	}
}
