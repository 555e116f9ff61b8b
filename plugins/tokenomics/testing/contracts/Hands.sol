// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IRouter {
	function deposit(bytes32 source) external payable;
	function depositToken(bytes32 source, address token, uint256 amount) external;
	function owed(uint8 bucket, address currency) external view returns (uint256);
	function earned(uint8 bucket, address currency) external view returns (uint256);
}

interface IToken {
	function approve(address spender, uint256 value) external returns (bool);
	function balanceOf(address account) external view returns (uint256);
}

/// Deposits one unit many times, and reads a router's books at one block.
contract Hands {
	struct Books {
		uint256 held;
		uint256[4] earned;
		uint256[4] owed;
	}

	function depositMany(IRouter router, bytes32 source, uint256 times) external payable {
		for (uint256 i = 0; i < times; i++) router.deposit{value: 1}(source);
	}

	function depositTokenMany(IRouter router, bytes32 source, address token, uint256 times) external {
		IToken(token).approve(address(router), times);
		for (uint256 i = 0; i < times; i++) router.depositToken(source, token, 1);
	}

	function read(IRouter router, address[] calldata currencies) external view returns (Books[] memory all) {
		all = new Books[](currencies.length);
		for (uint256 i = 0; i < currencies.length; i++) {
			address currency = currencies[i];
			all[i].held = currency == address(0)
				? address(router).balance
				: IToken(currency).balanceOf(address(router));
			for (uint8 bucket = 0; bucket < 4; bucket++) {
				all[i].earned[bucket] = router.earned(bucket, currency);
				all[i].owed[bucket] = router.owed(bucket, currency);
			}
		}
	}
}

/// An account with code: it does what it is told, and answers coins with a call of its own.
contract Caller {
	address public target;
	bytes public data;
	bool public wasLet;
	uint256 public calls;
	bool public refuses;

	error Refused();

	function aim(address target_, bytes calldata data_) external {
		(target, data, wasLet, calls) = (target_, data_, false, 0);
	}

	function refuse(bool to) external {
		refuses = to;
	}

	/// Calls, and reverts with what it was answered.
	function run(address to, bytes calldata call_) external payable returns (bytes memory answer) {
		bool ok;
		(ok, answer) = to.call{value: msg.value}(call_);
		if (ok) return answer;
		assembly {
			revert(add(answer, 32), mload(answer))
		}
	}

	receive() external payable {
		if (refuses) revert Refused();
		if (target == address(0)) return;
		calls += 1;
		(wasLet, ) = target.call(data);
	}
}
