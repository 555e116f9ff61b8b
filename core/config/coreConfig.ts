// Declares the environment variables that the runtime itself reads.

import { z } from "zod";
import {
	addressRange,
	callRates,
	commaList,
	exactOrigin,
	isDatabaseUrl,
	jsonText,
	rpcUrls,
} from "#core/config/fields.ts";
import { privateNetworks } from "#core/http/clients.ts";

/**
 * Declares the settings of the runtime itself. `CHAINS` holds the typed text; the chain registry
 * resolves it.
 */
export const coreConfig = z.object({
	HOST: z
		.string()
		.default("127.0.0.1")
		.describe("Address to listen on; 0.0.0.0 to be reached from other machines."),
	PORT: z.int().min(0).max(65_535).default(4000).describe("Port to listen on; 0 takes a free one."),
	ROLE: z
		.enum(["all", "api", "worker"])
		.default("all")
		.describe("What this process does: api answers, worker indexes and runs jobs, all does both."),
	DATABASE_URL: z
		.string()
		.refine(isDatabaseUrl)
		.optional()
		.meta({ expects: "a URL such as postgres://user:p%40ss@host:5432/database" })
		.describe("A PostgreSQL server, 15 or newer. Unset: an embedded server in DATA_DIR."),
	DATA_DIR: z.string().default(".data").describe("Folder of the embedded PostgreSQL server."),
	REDIS_URL: z
		.string()
		.regex(/^(redis|rediss|valkey|valkeys):\/\//)
		.optional()
		.meta({ expects: "a URL that begins with redis:// or rediss://" })
		.describe(
			"Redis that several processes share for bus, page cache and rate limits. Unset, or while it " +
				"is away: each process has its own.",
		),
	CHAINS: commaList(z.string().toLowerCase())
		.default([])
		.meta({ expects: "names of chains, separated by commas, such as base,ethereum" })
		.describe("The chains to index, by slug, provider's name or id, separated by commas."),
	CHAIN_RPC_URLS_JSON: jsonText(z.record(z.string().toLowerCase(), rpcUrls))
		.default({})
		.meta({ expects: 'JSON such as {"8453":["https://…","wss://…"]}, 1 to 8 URLs a chain' })
		.describe(
			"RPC endpoints by chain id or slug. A chain without: its public RPCs. One that is not in " +
				"CHAINS is not indexed, but wallets, transfers and prices reach it.",
		),
	SESSION_SECRET: z
		.string()
		.min(32)
		.max(512)
		.optional()
		.meta({ secret: true, expects: "at least 32 characters that nobody can guess" })
		.describe(
			"Keys what is stored of sessions, so that who can write to the database cannot open one. The " +
				"same in all processes; a change signs everybody out.",
		),
	TRADING_HOME_CHAIN: z
		.string()
		.toLowerCase()
		.optional()
		.meta({ expects: "the name of a chain, such as robinhood" })
		.describe(
			"Where wallets are linked, and what sign-in messages carry; reached also where it is not in " +
				"CHAINS. Unset: robinhood (4663), in the sandbox its chain.",
		),
	CHAIN_RPC_CALLS_PER_SECOND: callRates
		.default({})
		.meta({ expects: 'a number, or JSON such as {"base":100,"rpc.example.com":25}' })
		.describe(
			"JSON-RPC calls a second that one endpoint allows all processes together: one number, or by " +
				"chain or host. Unset: learned from what it refuses.",
		),
	CHAIN_RPC_COMPUTE_UNITS_JSON: jsonText(z.record(z.string(), z.number().min(0).max(1_000_000)))
		.default({})
		.meta({ expects: 'JSON such as {"eth_getLogs":60,"eth_call":26,"*":20}' })
		.describe(
			"What a provider bills for a call, by method; * is any other. Unset: not estimated. Set: calls " +
				"are saved as at a public host, at the price of more bytes.",
		),
	RPC_BATCH_MAX: z
		.int()
		.min(1)
		.max(1_000)
		.default(250)
		.describe("JSON-RPC calls in one HTTP request; what an endpoint refuses is halved."),
	RPC_REQUESTS_PER_SECOND_MAX: z
		.number()
		.min(0.1)
		.max(10_000)
		.optional()
		.describe("HTTP requests to one RPC endpoint in a second. Unset: as fast as it answers."),
	RPC_QUORUM: z
		.int()
		.min(1)
		.max(8)
		.default(1)
		.describe(
			"RPC endpoints that must agree on a block at the head before it is indexed; a chain that is " +
				"only reached may have fewer.",
		),
	PLUGINS: commaList(z.string())
		.default([])
		.meta({ expects: "module names or paths, separated by commas" })
		.describe("Modules of other people's plugins to load, separated by commas."),
	PLUGINS_DISABLED: commaList(z.string())
		.default([])
		.meta({ expects: "names of plugins, separated by commas" })
		.describe("Built-in plugins to leave out, separated by commas."),
	WEB_ALLOWED_ORIGINS: commaList(exactOrigin)
		.default([])
		.meta({ expects: "origins, separated by commas, such as https://app.example.com" })
		.describe("Web pages of other origins that may call with a session, separated by commas."),
	PUBLIC_URL: z
		.url({ protocol: /^https?$/ })
		.transform((url) => url.replace(/\/+$/, ""))
		.optional()
		.meta({ expects: "a URL that begins with https:// or http://" })
		.describe("Where browsers reach this service; links and secure cookies are made from it."),
	ADMIN_API_KEY: z
		.string()
		.regex(/^[\x21-\x7e]{16,256}$/)
		.optional()
		.meta({ expects: "16 to 256 letters, digits and signs without spaces" })
		.describe("What operators send as x-api-key. Unset: the admin routes answer 401 to everybody."),
	TRUSTED_PROXIES: commaList(addressRange)
		.default([...privateNetworks])
		.meta({ expects: "addresses and ranges, separated by commas, such as 10.0.0.0/8" })
		.describe(
			"Whose x-forwarded-for is believed, by address. Unset: this machine and private networks.",
		),
	TRUSTED_PROXY_HOPS: z
		.int()
		.min(0)
		.max(10)
		.default(1)
		.describe("Reverse proxies in front, each of them in TRUSTED_PROXIES; 0 without any."),
	FOREIGN_FETCH_ENABLED: z
		.boolean()
		.default(true)
		.describe(
			"Fetch what tokens and contracts name on the public network. Off, or in the sandbox: only " +
				"from origins that are configured here.",
		),
	LOG_LEVEL: z
		.enum(["debug", "info", "warn", "error", "silent"])
		.default("info")
		.describe("The least important lines to log."),
	SANDBOX: z
		.boolean()
		.default(false)
		.describe("Set by the sandbox: answers and banner say that nothing here is real."),
});

export type CoreConfig = z.output<typeof coreConfig>;
