// Starts a service with every route, and walks through its documents.

import { startAnvil } from "#test/harness/anvil.ts";
import { startTestService } from "#test/harness/startTestService.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";

export type DocumentedMember = {
	/** The member's name. */
	name: string;
	/** The name of the schema with this member, for failure messages. */
	where: string;
	/** JSON pointer of its schema in the document. */
	pointer: string;
	schema: any;
	/** True in an object of another service that is passed on unchanged. */
	isForeign: boolean;
};

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

/** Returns the environment that a service needs so that every trading route is mounted. */
export function custodyEnv(custody: CustodyEmulator): Record<string, string> {
	return {
		WALLET_PROVIDER_BASE_URL: custody.url,
		WALLET_PROVIDER_APP_ID: custody.appId,
		WALLET_PROVIDER_APP_SECRET: custody.appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
		WALLET_PROVIDER_WEBHOOK_SECRET: custody.webhookSecret,
		TRADING_HOME_CHAIN: "anvil",
		ADMIN_API_KEY: "an-operators-key-of-these-tests",
	};
}

/** Yields every member of every named schema of an OpenAPI or AsyncAPI document. */
export function* walkSchemas(document: any): Generator<DocumentedMember> {
	for (const [of, named] of Object.entries<any>(document.components.schemas)) {
		const isForeign = typeof named.additionalProperties === "object";
		for (const [name, schema] of Object.entries<any>(named.properties ?? {})) {
			const pointer = `/components/schemas/${of}/properties/${name}`;
			yield { name, where: `${of}.${name}`, pointer, schema, isForeign };
		}
	}
}
