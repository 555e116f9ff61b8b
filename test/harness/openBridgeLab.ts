import { encodeFunctionData, type Hex } from "viem";
import type { StepObserver } from "#core/steps/Steps.ts";
import {
	BRIDGE_ADMIN_KEY,
	type BridgeWorldParts,
	openBridgeWorld,
	USDG,
} from "#test/harness/openBridgeWorld.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { dollarAbi } from "#test/sandbox/bridge/solverAccount.ts";

export type BridgeAnswer = { status: number; body: any; text: string };
export type BridgeLab = Awaited<ReturnType<typeof openBridgeLab>>;

/** Opens the whole service on two chains, with a wallet provider and a bridge that pays on both. */
export async function openBridgeLab(
	options: {
		env?: Record<string, string>;
		/** Made before the service starts, with what it needs to know of that. */
		envOf?(world: BridgeWorldParts): Promise<Record<string, string>>;
		observeSteps?: StepObserver;
	} = {},
) {
	const { observeSteps } = options;
	const world = await openBridgeWorld();
	const env = { ...world.env, ...options.env, ...(await options.envOf?.(world)) };
	const service = await startTestService({
		...{ scanFrom: null, env, ...(observeSteps && { observeSteps }) },
	});
	return {
		...world,
		service,
		...asking({ ...world, service }),
		async stop() {
			// A test may have stopped it already: then this does nothing.
			await service.stop().catch(() => {});
			await service.database.drop();
			await world.stop();
		},
	};
}

type Parts = BridgeWorldParts & { service: TestService };

function asking({ custody, service, home, market }: Parts) {
	let asked = 0;
	async function ask(
		path: string,
		body?: unknown,
		more: { as?: string | null; method?: string; key?: string; admin?: boolean } = {},
	): Promise<BridgeAnswer> {
		asked++;
		const { as = "ada", key, admin = false } = more;
		const token = as === null ? null : custody.token({ userId: custody.person(as).id });
		const response = await fetch(`${service.url}${path}`, {
			method: more.method ?? (body === undefined ? "GET" : "POST"),
			headers: {
				...(token !== null && { authorization: `Bearer ${token}` }),
				...(admin && { "x-api-key": BRIDGE_ADMIN_KEY, "x-admin-actor": "olga" }),
				...(key !== undefined && { "idempotency-key": key }),
				"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
				...(body !== undefined && { "content-type": "application/json" }),
			},
			...(body !== undefined && {
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		});
		const text = await response.text();
		return { status: response.status, text, body: text === "" ? null : JSON.parse(text) };
	}
	return {
		ask,
		/** Enrols a user of the wallet provider; returns their wallet. */
		async enrol(as = "ada") {
			const { body } = await ask("/v1/trading/enrollment", {}, { as });
			return body.profile.wallets[0] as { id: string; address: Hex };
		},
		/** Waits until a bridge has one of these statuses; returns it. */
		async reached(id: string, wanted: readonly string[], as = "ada") {
			let found: any = null;
			await until(
				async () => {
					found = (await ask(`/v1/bridges/intents/${id}`, undefined, { as })).body;
					return wanted.includes(found.status);
				},
				() => `the bridge is ${wanted.join(" or ")}: ${found?.status} ${found?.errorCode}`,
			);
			return found;
		},
		async dollars(owner: string): Promise<bigint> {
			const data = encodeFunctionData({
				...{ abi: dollarAbi, functionName: "balanceOf" as const, args: [owner as Hex] as const },
			});
			return BigInt(await home.rpc<string>("eth_call", [{ to: USDG, data }, "latest"]));
		},
		async coins(chain: "market" | "home", owner: string): Promise<bigint> {
			const { rpc } = chain === "market" ? market : home;
			return BigInt(await rpc<string>("eth_getBalance", [owner, "latest"]));
		},
	};
}
