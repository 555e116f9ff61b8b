// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Stands for a moment, in one call that changes nothing, where a wallet is: sends a token as the
/// wallet would, and says what left it and what arrived. Never reverts by what the token does.
contract SendProbe {
	/// `outcome`: 0 reverts, 1 done, 2 answers false, 3 is no token or hides its balances.
	function probe(address token, address to, uint256 amount)
		external
		returns (uint256 outcome, uint256 held, uint256 left, uint256 arrived, bool isContract)
	{
		bytes memory code = to.code;
		// EIP-3541: no contract's code begins with 0xef, and what an account delegates by does (7702).
		isContract = code.length > 0 && code[0] != 0xef;
		bool isRead;
		uint256 before;
		(isRead, held) = balance(token, address(this));
		if (!isRead) return (3, 0, 0, 0, isContract);
		(isRead, before) = balance(token, to);
		if (!isRead) return (3, held, 0, 0, isContract);
		(bool ok, bytes memory answer) = token.call(abi.encodeWithSelector(0xa9059cbb, to, amount));
		if (!ok) return (0, held, 0, 0, isContract);
		// As OpenZeppelin's SafeERC20: a token may answer nothing, and not `false`.
		if (answer.length > 0 && !isTrue(answer)) return (2, held, 0, 0, isContract);
		unchecked {
			uint256 now_;
			(isRead, now_) = balance(token, address(this));
			if (!isRead) return (3, held, 0, 0, isContract);
			left = held - now_;
			(isRead, now_) = balance(token, to);
			if (!isRead) return (3, held, 0, 0, isContract);
			arrived = now_ - before;
		}
		outcome = 1;
	}

	function balance(address token, address account) private view returns (bool, uint256) {
		(bool ok, bytes memory answer) =
			token.staticcall(abi.encodeWithSelector(0x70a08231, account));
		if (!ok || answer.length != 32) return (false, 0);
		return (true, abi.decode(answer, (uint256)));
	}

	function isTrue(bytes memory answer) private pure returns (bool) {
		return answer.length == 32 && abi.decode(answer, (uint256)) == 1;
	}
}
