// Opens a service that sends for signed-in owners, with its wallet provider and chain.

import { join } from "node:path";
import { z } from "zod";
import { socketUrl } from "#core/db/embedded/layout.ts";
import type { TradingChain, TradingPlace } from "#test/bench/chain/model.ts";
import { startTradingChain } from "#test/bench/chain/startNode.ts";
import {
	type DataDir,
	openDataDir,
	openScript,
	type Scope,
	type Script,
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";

const custodySchema = z.object({
	walletProviderUrl: z.string(),
	walletProvider: z.object({
		appId: z.string(),
		appSecret: z.string(),
		authorizationKey: z.string(),
		verificationKey: z.string(),
	}),
	people: z.array(
		z.object({
			...{ token: z.string(), walletId: z.string(), address: z.string() },
			/** Their id on X, and another wallet of theirs. */
			...{ subject: z.string(), external: z.string() },
		}),
	),
});
type Custody = z.output<typeof custodySchema>;

const signedInSchema = z.object({
	token: z.string(),
	profile: z.object({ wallets: z.array(z.object({ id: z.string(), address: z.string() })) }),
});

/** A person who may send from a wallet through the service. */
export type Owner = { session: string; walletId: string; subject: string; external: string };

/** A service that may send for signed-in owners, with all that it uses. */
export type Trading = {
	chain: TradingChain;
	custody: Custody & { pid: number };
	service: ServiceProcess;
	data: DataDir;
	connectionString: string;
	owners: readonly Owner[];
	/** People of the wallet provider that the service does not know. */
	strangers: Custody["people"];
	close(): Promise<void>;
};

const ENROLMENTS_AT_ONCE = 4;

export async function openTrading(options: {
	scope: Scope;
	runtimeArgs: readonly string[];
	owners: number;
	strangers: number;
	/** Settings besides those that sending needs. */
	env?: Readonly<Record<string, string>>;
	/** By default the market's chain. */
	place?: (scope: Scope) => Promise<TradingPlace>;
}): Promise<Trading> {
	const { scope, runtimeArgs, place = onMarketChain } = options;
	const { chain, env, prepare } = await place(scope);
	const count = String(options.owners + options.strangers);
	const provider = openScript(scope, [
		join(import.meta.dir, "custodyProcess.ts"),
		chain.url,
		count,
	]);
	const custody = custodySchema.parse(await provider.line());
	await prepare(custody.people.map(({ address }) => address));
	const data = await openDataDir(scope);
	const service = startServiceProcess({
		rpcUrls: [chain.url, chain.wsUrl],
		dataDir: data.path,
		runtimeArgs,
		env: { ...settingsOf(custody), ...env, ...options.env },
	});
	const stopService = scope.defer(service.stop);
	await service.servingSeconds;
	const owners = await enrolAll(service, custody.people.slice(0, options.owners));
	return {
		chain,
		custody: { ...custody, pid: provider.pid },
		service,
		data,
		connectionString: socketUrl(data.socketDir),
		owners,
		strangers: custody.people.slice(options.owners),
		close: () => closeAll({ stopService, data, provider, chain }),
	};
}

async function onMarketChain(scope: Scope): Promise<TradingPlace> {
	const chain = await startTradingChain(scope);
	const env = { USD_FEEDS_JSON: JSON.stringify(chain.usdFeeds), TRADING_HOME_CHAIN: "anvil" };
	return { chain, env, prepare: async () => {} };
}

function settingsOf(custody: Custody): Record<string, string> {
	const { appId, appSecret, authorizationKey, verificationKey } = custody.walletProvider;
	return {
		WALLET_PROVIDER_BASE_URL: custody.walletProviderUrl,
		WALLET_PROVIDER_APP_ID: appId,
		WALLET_PROVIDER_APP_SECRET: appSecret,
		WALLET_PROVIDER_AUTHORIZATION_KEY: authorizationKey,
		WALLET_PROVIDER_VERIFICATION_KEY: verificationKey,
		TRADING_DRY_RUN: "false",
	};
}

/**
 * Signs all in as they would themselves: with the wallet provider's token, for a session of ours.
 */
async function enrolAll(service: ServiceProcess, people: Custody["people"]): Promise<Owner[]> {
	const owners: Owner[] = [];
	const rest = people.map((person, place) => ({ ...person, place }));
	async function work(): Promise<void> {
		for (let next = rest.shift(); next; next = rest.shift()) {
			const response = await fetch(`${service.url}/v1/trading/enrollment`, {
				method: "POST",
				headers: {
					authorization: `Bearer ${next.token}`,
					"content-type": "application/json",
					"x-forwarded-for": `10.7.${next.place >> 8}.${next.place & 255}`,
				},
				body: "{}",
			});
			const text = await response.text();
			if (response.status !== 200) throw new Error(`not enrolled: ${response.status}: ${text}`);
			const { token, profile } = signedInSchema.parse(JSON.parse(text));
			const { address, subject, external } = next;
			const sending = profile.wallets.find((one) => one.address.toLowerCase() === address);
			if (!sending) throw new Error(`not enrolled with ${address}: ${text}`);
			owners[next.place] = { session: token, walletId: sending.id, subject, external };
		}
	}
	await Promise.race([
		Promise.all(Array.from({ length: ENROLMENTS_AT_ONCE }, work)),
		service.failed,
	]);
	return owners;
}

async function closeAll(parts: {
	stopService: () => Promise<void>;
	data: DataDir;
	provider: Script;
	chain: TradingChain;
}): Promise<void> {
	await parts.stopService();
	await parts.data.remove();
	await parts.provider.stop();
	await parts.chain.stop();
}
