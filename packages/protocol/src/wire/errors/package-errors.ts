import { runtime } from "./row.ts";

/** Codes about runtime packages. */
export const packageErrors = () => ({
  local_only_method: runtime("This can only be done on the host itself."),
  package_archive_invalid: runtime("The package archive is not valid."),
  package_source_unreadable: runtime("The package cannot be read."),
  package_untrusted: runtime("The package is not trusted.", { hint: "Name its digest, or a catalog that lists it." }),
  package_incompatible: runtime("The package does not fit this release."),
  package_descriptor_invalid: runtime("The package's description is not valid."),
  package_runtime_not_claimable: runtime("A package may not provide this runtime."),
  package_runtime_conflict: runtime("Another package already provides this runtime."),
  package_not_installed: runtime("This package is not installed."),
  package_identity_installed: runtime("The same package is installed already."),
  package_identity_conflict: runtime("Another package of the same name and version is installed."),
  package_referenced: runtime("The package is still used by a profile or a session."),
  package_root_invalid: runtime("The package's installed files are not as they must be."),
  package_root_intact: runtime("The package's installed files are intact; nothing was restored."),
  package_registry_failed: runtime("The package registry cannot be read or written."),
  package_limit_reached: runtime("No more packages can be installed."),
});
