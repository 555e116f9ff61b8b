// Opens a chain, a server of documents, and services that watch for reveals.

import { Client } from "pg";
import type { Hex } from "viem";
import { systemClock } from "#core/clock.ts";
import { watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { holdJobs, startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

export type HeldSteps = {
	/** Waits until the service is at this step, about to do its first write. */
	reached(step: HeldStep): Promise<void>;
	/** Lets the step go on. */
	release(step: HeldStep): Promise<void>;
	close(): Promise<void>;
};

/**
 * A document server's answer for a path: a document, or a whole response; null is 404, a number is
 * that status.
 */
export type Served = (path: string) => unknown;

export type RevealLab = Awaited<ReturnType<typeof openRevealLab>>;

/** What a held step does to the database: its first write is made to wait. */
const WRITES = {
	ranking: {
		event: "update of rank on market_index.token",
		when: "new.rank is not null",
	},
	buying: { event: "insert on reveal_snipe.fill", when: "true" },
	revealing: {
		event: "update of reveal_state on market_index.collection",
		when: "new.reveal_state = 'revealed' and old.reveal_state <> 'revealed'",
	},
} as const;
export type HeldStep = keyof typeof WRITES;
const KEY = 7_204;

const HOLDER: Hex = "0x00000000000000000000000000000000000b0b01";

/** A document that hides the token, and one that shows a token's own traits. */
export const sealed = { name: "Sealed", image: "https://images.test/sealed.png" };
export const shownAs = (id: number) => ({
	name: `Token ${id}`,
	image: `https://images.test/${id}.png`,
	attributes: [
		{ trait_type: "Hat", value: id % 10 === 0 ? "Crown" : `Cap ${id % 3}` },
		{ trait_type: "Number", value: `No. ${id}` },
	],
});

/** Opens a chain, a document server, and services that watch for reveals. */
export async function openRevealLab() {
	const anvil: Anvil = await startAnvil();
	const chain = await fixturesOn(anvil);
	const lab = { served: ((_path) => null) as Served, asked: [] as string[] };
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname } = new URL(request.url);
			lab.asked.push(pathname);
			const document = await lab.served(pathname);
			if (document instanceof Response) return document;
			if (typeof document === "number") {
				return new Response("", { status: document, headers: { "retry-after": "1" } });
			}
			return document === null ? new Response("", { status: 404 }) : Response.json(document);
		},
	});
	const origin = `http://127.0.0.1:${server.port}`;
	const services: TestService[] = [];
	let aheadMs = 0;
	const clock = { nowMs: () => systemClock.nowMs() + aheadMs };
	const start = async (options: Partial<Parameters<typeof startTestService>[0]> = {}) => {
		const service = await startTestService({
			chain: anvil,
			clock,
			...options,
			env: { METADATA_ALLOWED_ORIGINS: origin, ...options.env },
		});
		// No plan is armed here: a collection that a test has watched stays watched.
		holdJobs(service.host.jobs, ["reveal-snipe.planned"]);
		services.push(service);
		return service;
	};
	return {
		lab,
		/** Moves the clock of all services forward. */
		advance(ms: number): void {
			aheadMs += ms;
		},
		anvil,
		chain,
		origin,
		start,
		/** Stops a service, and starts another one with its data. */
		async restart(service: TestService) {
			services.splice(services.indexOf(service), 1);
			await service.stop();
			return start({ database: service.database });
		},
		/**
		 * Deploys a collection with so many tokens under a base URI, and waits until they were read.
		 */
		async collection(
			service: TestService,
			given: { name: string; base: string; isShared?: boolean; count: number; moreId?: bigint },
		) {
			const { name, base, isShared = true, moreId } = given;
			const count = given.count + (moreId === undefined ? 0 : 1);
			const contract = await chain.deploy("Reveal721", [name, `${origin}/${base}`, isShared]);
			const minted = [HOLDER, BigInt(given.count)];
			if (moreId === undefined) await chain.call("Reveal721", contract, "mint", minted);
			else await chain.call("Reveal721", contract, "mintWith", [...minted, moreId]);
			await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
			const { db } = service.core;
			const find = async () => {
				const [row] = await db.query<{ id: number; read: number }>(
					`select c.id, (select count(*)::int from market_index.token as t
						where t.collection_id = c.id and t.source is not null) as read
					from market_index.collection as c where c.address = decode($1, 'hex')`,
					[contract.slice(2)],
				);
				return row;
			};
			await dueNow(service, async () => ((await find())?.read ?? 0) === count);
			return { contract, id: (await find())?.id ?? -1 };
		},
		async watch(service: TestService, collectionId: number) {
			const at = new Date(clock.nowMs());
			const chainId = anvil.chainId;
			await watchCollection(service.core.db, { collectionId, chainId, reason: "plan", at });
		},
		setBase: (contract: Hex, base: string, given: { isShared: boolean; tells: 0 | 1 | 2 }) =>
			chain.call("Reveal721", contract, "setBase", [
				`${origin}/${base}`,
				given.isShared,
				given.tells,
			]),
		async close() {
			for (const service of services) await service.stop();
			for (const { database } of services) await database.drop();
			await server.stop(true);
			await anvil.stop();
		},
	};
}

/**
 * Makes a service wait before each of these steps of a burst, by triggers that wait for a lock
 * which the test holds. So a test can ask the service what it shows between two steps.
 */
export async function holdSteps(connectionString: string): Promise<HeldSteps> {
	const client = new Client({ connectionString });
	// Ignores the error of a connection whose database a failed test drops.
	client.on("error", () => {});
	await client.connect();
	const steps = Object.keys(WRITES) as HeldStep[];
	const keyOf = (step: HeldStep) => KEY + steps.indexOf(step);
	for (const step of steps) {
		const { event, when } = WRITES[step];
		await client.query("select pg_advisory_lock($1)", [keyOf(step)]);
		await client.query(
			`create function public.hold_${step}() returns trigger language plpgsql as $$
			begin perform pg_advisory_xact_lock_shared(${keyOf(step)}); return new; end $$;
			create trigger hold_${step} before ${event}
				for each row when (${when}) execute function public.hold_${step}()`,
		);
	}
	return {
		reached: (step) =>
			until(async () => {
				const { rows } = await client.query(
					`select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
						and database = (select oid from pg_database where datname = current_database())`,
					[keyOf(step)],
				);
				return rows.length > 0;
			}, `the service is ${step}`),
		async release(step) {
			await client.query("select pg_advisory_unlock($1)", [keyOf(step)]);
		},
		close: () => client.end(),
	};
}

/** Runs delayed jobs at once, without the delay that spares the node, until a condition holds. */
export async function dueNow(service: TestService, holds: () => Promise<boolean>): Promise<void> {
	await until(async () => {
		await service.core.db.execute(
			`update graphile_worker._private_jobs set run_at = now()
			where run_at > now() and locked_at is null`,
		);
		return holds();
	}, "queued work is done");
}
