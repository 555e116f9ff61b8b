/** Returns whether a request asks for a WebSocket, by Elysia's own rule. */
export function isUpgrade(request: Request): boolean {
	return request.method === "GET" && request.headers.get("upgrade") === "websocket";
}
