/** Ranges of addresses of this machine (loopback) and of private networks (RFC 1918, RFC 4193). */
export const privateNetworks: readonly string[] = [
	"127.0.0.0/8",
	"::1/128",
	"10.0.0.0/8",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"fc00::/7",
];
