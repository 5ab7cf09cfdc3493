import pytest

from foliot.api.wire.clients import ANY_CLIENT, Notation, WireClient, client_of

GENERATED = WireClient(Notation.ISO, "Occurrence")
GO = WireClient(Notation.AS_GIVEN, "Occurrence")
DOT_NET = WireClient(Notation.TIME_SPAN, "occurrence")

# As the libraries build them; the numbers of versions and systems are examples.
USER_AGENTS: dict[str, tuple[str, WireClient]] = {
    "nothing": ("", ANY_CLIENT),
    "curl": ("curl/8.5.0", ANY_CLIENT),
    "a browser": ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", ANY_CLIENT),
    "Python for another service": ("azsdk-python-mgmt-storage/1.0 Python/3.11", ANY_CLIENT),
    "Python 7": (
        "my-app azsdk-python-mgmt-scheduler/7.0.0 Python/3.11.7 (Linux-6.1-x86_64)",
        GENERATED,
    ),
    "Python 7 in capitals": ("AZSDK-Python-Mgmt-Scheduler/7.0.0", GENERATED),
    "Python 2": (
        "python/3.6.5 (Linux-4.9-x86_64) msrest/0.6.1 msrest_azure/0.5.0 "
        "azure-mgmt-scheduler/2.0.0 Azure-SDK-For-Python",
        GENERATED,
    ),
    "Java 1": (
        "Azure-SDK-For-Java/1.41.0 OS:Linux/4.9 MacAddressHash:0 Java:1.8.0_151 "
        "(SchedulerManagementClient, 2016-03-01)",
        GENERATED,
    ),
    "Java 2": ("azsdk-java-com.azure.resourcemanager/2.0.0 (11.0.8; Linux; 4.15)", GENERATED),
    "Node": (
        "Node/v8.11.1 (x64-Linux-4.9.0) ms-rest/2.3.6 ms-rest-azure/2.5.7 "
        "azure-arm-scheduler/4.0.0 Azure-SDK-For-Node",
        GENERATED,
    ),
    "Node before it told its package": (
        "Node/v6.9.1 (x64-Linux-4.4.0) ms-rest/2.2.0 ms-rest-azure/2.1.0 Azure-SDK-For-Node",
        GENERATED,
    ),
    "TypeScript": (
        "@azure/arm-scheduler/2.0.0 ms-rest-js/1.1.0 ms-rest-azure-js/1.1.0 Node/v10.15.0",
        GENERATED,
    ),
    "Go": ("Go/go1.10 (amd64-linux) go-autorest/v10.8.1 Azure-SDK-For-Go/v17.3.1 scheduler", GO),
    "Go before profiles": ("Azure-SDK-For-Go/v10.2.1-beta arm-scheduler/2016-03-01", GO),
    "Terraform": (
        "Go/go1.11.4 (amd64-linux) go-autorest/v10.15.4 Azure-SDK-For-Go/v21.3.0 "
        "scheduler/2016-03-01;HashiCorp-Terraform-v0.11.11",
        GO,
    ),
    "Ruby": ("Azure-SDK-For-Ruby/azure_mgmt_scheduler/0.17.0 ruby/2.5.1", GENERATED),
    ".NET": (
        "FxVersion/4.7 Microsoft.Azure.Management.Scheduler.SchedulerManagementClient/2.0.0.0",
        DOT_NET,
    ),
    "PowerShell": ("AzurePowershell/v2.1.0 PSVersion/v5.1", DOT_NET),
    "a long text": (f"{'x' * 60_000} azure-sdk-for-go", ANY_CLIENT),
    "PowerShell in other capitals": ("AzurePowerShell/5.0", DOT_NET),
}


@pytest.mark.parametrize(("user_agent", "client"), USER_AGENTS.values(), ids=USER_AGENTS.keys())
def test_a_client_is_known_by_its_user_agent(user_agent: str, client: WireClient) -> None:
    assert client_of(user_agent) == client
