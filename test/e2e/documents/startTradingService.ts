import { custodyEnv } from "#test/e2e/documents/custodyEnv.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import { startCustodyEmulator } from "#test/sandbox/custody/startCustodyEmulator.ts";

/** Starts a service with every route mounted, on a chain where nothing happens. */
export async function startTradingService() {
	const anvil = await startAnvil();
	const custody = await startCustodyEmulator({ rpcUrl: anvil.url });
	const env = custodyEnv(custody);
	const service = await startTestService({ chain: anvil, scanFrom: null, env });
	return {
		...service,
		async stop(): Promise<void> {
			await service.stop();
			await service.database.drop();
			await custody.stop();
			await anvil.stop();
		},
	};
}
