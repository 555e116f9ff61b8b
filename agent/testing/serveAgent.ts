import { agentRoutes } from "#agent/plugin.ts";
import { agentLab, type LabOptions } from "#agent/testing/agentLab.ts";
import { httpFault } from "#core/http/faults.ts";
import { listenHttp } from "#core/http/listenHttp.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";

/** The session token of the only user that the served agent knows. */
export const TOKEN = "token-of-p1";

/** Serves the lab's agent with its routes on a port of its own. */
export async function serveAgent(options: LabOptions & { publicUrl?: string } = {}) {
	const lab = agentLab(options);
	const opened = {
		...lab,
		commands: lab.grammar.commands,
		callerOf: async (request: Request) => {
			const given = request.headers.get("authorization");
			const cookie = request.headers.get("cookie");
			if (given === null && cookie === null) return null;
			if (given === `Bearer ${TOKEN}` || cookie === `session=${TOKEN}`) return "p1";
			throw httpFault.unauthorized();
		},
	};
	const routes = agentRoutes({
		agent: () => opened,
		log: silentLog,
		version: "0.0.0-test",
		door: {
			publicUrl: options.publicUrl,
			listensOn: "127.0.0.1",
			allowedOrigins: ["https://app.example"],
		},
		ending: lab.ending.signal,
	});
	const app = testHttpApp({ routes: [routes] });
	const listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log: silentLog });
	return {
		...lab,
		url: listener.url,
		post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
			fetch(`${listener.url}/v1/agent/${path}`, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		async stop() {
			lab.ending.abort();
			await listener.stop();
		},
	};
}

export const bearer = { authorization: `Bearer ${TOKEN}` };
