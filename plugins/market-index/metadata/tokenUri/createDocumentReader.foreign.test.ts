import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "#core/clock/systemClock.ts";
import { createForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { type Canary, startCanary, startRawServer } from "#core/foreign/testing/canary.ts";
import { createDocumentReader } from "#plugins/market-index/metadata/tokenUri/createDocumentReader.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const TX = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
let canary: Canary;
/** The operator's gateway: it knows one document, and leads whoever asks for another inward. */
let gateway: Awaited<ReturnType<typeof startRawServer>>;
const asked: string[] = [];
beforeAll(async () => {
	canary = await startCanary();
	gateway = await startRawServer((socket, head) => {
		const path = head.split(" ")[1] ?? "";
		asked.push(path);
		const isHeld = path === `/ipfs/${CID}/1`;
		const inward = `HTTP/1.1 302 Found\r\nLocation: http://localhost:${canary.port}/\r\n\r\n`;
		socket.end(isHeld ? 'HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{"name":"Cat"}' : inward);
	});
});
afterAll(() => {
	canary.close();
	gateway.close();
});

function read(uri: string) {
	const readDocument = createDocumentReader({
		clock: systemClock,
		// The canary's port is open, and every name leads to it: only the guard protects it.
		foreignFetch: createForeignFetch({
			ports: [80, 443, canary.port],
			resolve: async () => ["127.0.0.1"],
		}),
		gateways: { ipfs: [gateway.origin], arweave: gateway.origin },
		allowedOrigins: [],
	});
	return readDocument(uri, { signal: new AbortController().signal });
}

test("[SEC-05] no URI of a contract leads to this machine, whatever its scheme or form", async () => {
	const here = `127.0.0.1:${canary.port}`;
	const uris = [
		...[`http://${here}/`, `https://${here}/`, `HTTP://${here}/1.json`, ` http://${here}/ `],
		...[`http://localhost:${canary.port}/`, `http://meta.example:${canary.port}/{id}`],
		...[`//${here}/`, `http:${here}/`, `http:\\\\${here}\\`, `http:/${here}/`, `http ://${here}`],
		...["unix:/run/x.sock", "http+unix://%2Frun%2Fx.sock/", `blob:http://${here}/`],
		...[`s3://${here}/x`, `ftp://${here}/`, `gopher://${here}/`, `ws://${here}/`, "file:///etc"],
		...[`ipfs://${CID}@${here}/`, `ipfs://${CID}/../../..//${here}/`, `ipfs:////${here}/${CID}`],
		...[`ipns://${here}/`, `ar://${TX}@${here}/`, `ar:////${here}/${TX}`, `ipfs://${here}/${CID}`],
		...[`http://${CID}.ipfs.${here}/`, `\u0000http://${here}/`, `view-source:http://${here}/`],
		// Read from our gateway, and then where the contract says.
		...[`http://${here}/ipfs/${CID}`, `http://x:y@${here}/ipfs/${CID}`],
		// What the gateway does not have, and where it leads instead.
		...[`ipfs://${CID}/2`, `ipns://docs.example/1`, `ar://${TX}`],
	];
	for (const uri of uris) expect(await read(uri), uri).toMatchObject({ kind: "failed" });
	expect(canary.connections).toBe(0);
	expect(asked).toContain(`/${TX}`);
	expect(await read(`ipfs://${CID}/1`)).toMatchObject({ kind: "read", name: "Cat" });
});

test("[SEC-05] a stranger may not name the gateway that is meant for us", async () => {
	asked.length = 0;
	for (const path of ["/api/v0/id", "/ipfs/x", "//"]) {
		expect(await read(gateway.origin + path)).toMatchObject({ code: "foreign_refused" });
	}
	expect(asked).toEqual([]);
});

test("what a document names is kept as text, not fetched", async () => {
	const url = `http://127.0.0.1:${canary.port}/1.png`;
	const document = JSON.stringify({
		name: "Cat",
		image: url,
		animation_url: url,
		external_url: url,
	});
	const outcome = await read(`data:application/json,${document}`);
	expect(outcome).toMatchObject({ kind: "read", imageUrl: null, animationUrl: null });
	expect(canary.connections).toBe(0);
});
