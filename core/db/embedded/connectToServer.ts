import pg from "pg";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";
import { pollUntil } from "#core/db/embedded/pollUntil.ts";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import { isSqlState } from "#core/db/isSqlState.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** How long a shutdown or a recovery of the server may take while we wait. */
const BUSY_TIMEOUT_MS = 120_000;
const QUERY_TIMEOUT_MS = 10_000;

/** The system's codes when no server listens. */
const ABSENT = new Set(["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);

type Attempt = { kind: "open"; client: pg.Client } | { kind: "absent" };

/**
 * Opens one connection to the server behind a socket; returns undefined when there is no server.
 *
 * Waits while the server is starting or stopping, and creates the database `tapeline` if it is
 * missing.
 */
export async function connectToServer(
	socketDir: string,
	applicationName: string,
): Promise<pg.Client | undefined> {
	const attempt = await pollUntil(() => tryOnce(socketDir, applicationName), {
		timeoutMs: BUSY_TIMEOUT_MS,
		everyMs: 20,
	});
	if (!attempt) {
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `the server behind ${socketDir} was still starting or stopping after ${BUSY_TIMEOUT_MS} ms`,
		});
	}
	return attempt.kind === "open" ? attempt.client : undefined;
}

async function tryOnce(socketDir: string, applicationName: string): Promise<Attempt | undefined> {
	try {
		return { kind: "open", client: await open(socketDir, applicationName, "tapeline") };
	} catch (cause) {
		if (ABSENT.has(codeOf(cause))) return { kind: "absent" };
		if (isSqlState(cause, "cannot_connect_now")) return undefined;
		if (isSqlState(cause, "invalid_catalog_name")) {
			await createDatabase(socketDir);
			return undefined;
		}
		throw embeddedServerFault.embeddedServerUnreachable({
			detail: `cannot connect to ${socketDir}`,
			cause,
		});
	}
}

async function open(socketDir: string, applicationName: string, database: string) {
	const client = new pg.Client({
		connectionString: socketUrl(socketDir, database),
		application_name: applicationName,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		query_timeout: QUERY_TIMEOUT_MS,
	});
	// Without a listener an error between two queries would end the process.
	client.on("error", () => {});
	try {
		await client.connect();
	} catch (cause) {
		void client.end().catch(() => {});
		throw cause;
	}
	return client;
}

async function createDatabase(socketDir: string): Promise<void> {
	const client = await open(socketDir, "tapeline-setup", "postgres");
	try {
		await client.query("create database tapeline");
	} catch (cause) {
		// Otherwise another process created it between our two connections.
		if (!isSqlState(cause, "duplicate_database")) throw cause;
	} finally {
		await client.end();
	}
}

function codeOf(cause: unknown): string {
	return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
