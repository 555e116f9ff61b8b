import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { startCanary } from "#core/foreign/testing/canary.ts";
import { type Certificate, makeCertificates } from "#core/foreign/testing/makeCertificates.ts";

const certificates = makeCertificates({
	right: { names: ["right.example", "also.example"] },
	other: { names: ["other.example"] },
	past: { names: ["right.example"], isExpired: true },
});
const servers: Server[] = [];
const asked: string[] = [];
let folder = "";
let trusted: Record<string, string> = {};
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "tls-"));
	await writeFile(join(folder, "authority.pem"), certificates.authority);
	trusted = { NODE_EXTRA_CA_CERTS: join(folder, "authority.pem") };
});
afterAll(async () => {
	for (const server of servers) server.close();
	await rm(folder, { recursive: true });
});

/** Answers each request with the name that the client wanted the certificate for. */
async function secureServer(certificate: Certificate): Promise<number> {
	return listening(
		createServer({ ...certificate }, (socket) => {
			answering(socket, () => {
				const name = String("servername" in socket ? socket.servername : "");
				asked.push(name);
				return name;
			});
		}),
	);
}

function answering(socket: Socket, textOf: () => string) {
	socket.on("error", () => {});
	socket.on("data", () => {
		const text = textOf();
		socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
	});
}

function listening(server: Server): Promise<number> {
	servers.push(server);
	server.on("tlsClientError", () => {});
	return new Promise((resolve) => {
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			resolve(typeof address === "object" && address !== null ? address.port : 0);
		});
	});
}

/** Has a process of this environment make the calls; answers what came of each. */
async function outcomesOf(calls: [string, boolean][], environment: Record<string, string>) {
	const script = join(import.meta.dir, "testing", "askForeign.ts");
	const child = Bun.spawn([process.execPath, script, JSON.stringify(calls)], {
		env: { ...process.env, ...environment },
		stdout: "pipe",
		stderr: "inherit",
	});
	return JSON.parse(await new Response(child.stdout).text());
}

test("[SEC-05] the checked address must present a certificate for the requested name", async () => {
	const right = await secureServer(certificates.of("right"));
	const other = await secureServer(certificates.of("other"));
	const past = await secureServer(certificates.of("past"));
	const calls: [string, boolean][] = [
		[`https://right.example:${right}/`, false],
		[`https://also.example:${right}/`, false],
		[`https://right.example:${other}/`, false],
		[`https://127.0.0.1:${right}/`, false],
		[`https://right.example:${past}/`, false],
	];
	expect(await outcomesOf(calls, trusted)).toEqual([
		"right.example",
		"also.example",
		"foreign_unreachable ERR_TLS_CERT_ALTNAME_INVALID",
		"foreign_unreachable ERR_TLS_CERT_ALTNAME_INVALID",
		"foreign_unreachable CERT_HAS_EXPIRED",
	]);
	expect(asked.splice(0)).toEqual(["right.example", "also.example"]);
	const [untrusted] = await outcomesOf(calls.slice(0, 1), {});
	expect(untrusted).toMatch(/^foreign_unreachable .*VERIFY/);
	expect(asked.splice(0)).toEqual([]);
});

test("[SEC-05] a kept connection serves only the name for which it was opened", async () => {
	const port = await secureServer(certificates.of("right"));
	const calls = ["right", "other", "right", "also"].map((name): [string, boolean] => {
		return [`https://${name}.example:${port}/`, true];
	});
	expect(await outcomesOf(calls, trusted)).toEqual([
		"right.example",
		"foreign_unreachable ERR_TLS_CERT_ALTNAME_INVALID",
		"right.example",
		"also.example",
	]);
	expect(asked.splice(0)).toEqual(["right.example", "right.example", "also.example"]);
});

test("[SEC-05] a proxy of the environment is not used, because it would resolve names itself", async () => {
	const proxy = await startCanary();
	const plain = await listening(createPlainServer((socket) => answering(socket, () => "plain")));
	const secure = await secureServer(certificates.of("right"));
	const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
	const environment = Object.fromEntries(
		[...names, ...names.map((name) => name.toLowerCase())].map((name) => {
			return [name, `http://127.0.0.1:${proxy.port}`];
		}),
	);
	const calls = [true, false].flatMap((isKept): [string, boolean][] => [
		[`http://right.example:${plain}/`, isKept],
		[`https://right.example:${secure}/`, isKept],
	]);
	for (const wish of ["", "1"]) {
		const asked = { ...trusted, ...environment, NO_PROXY: "", NODE_USE_ENV_PROXY: wish };
		const served = ["plain", "right.example", "plain", "right.example"];
		expect(await outcomesOf(calls, asked)).toEqual(served);
	}
	expect(proxy.connections).toBe(0);
	proxy.close();
});
